package tunnel

import (
	"encoding/base64"
	"html/template"
	"io"
)

// Image is a picture of the report's page.
type Image struct {
	Caption string
	PNG     []byte
}

// page is one file that needs no other. It has no scripts.
var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"text":    Coefficient.text,
	"percent": percent,
	"data": func(png []byte) template.URL {
		return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(png))
	},
}).Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Report.Case}}: {{.Report.Verdict}}</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
.verdict { font-size: 1.3rem; font-weight: 600; padding: .6rem 1rem; border-left: .4rem solid #2a7; }
.doubt { border-color: #c60; }
table { border-collapse: collapse; margin: 1rem 0; width: 100%; }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8884; vertical-align: top; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
img { max-width: 100%; }
</style>
</head>
<body>
<h1>{{.Report.Case}}</h1>
<p class="verdict{{if .Report.Doubts}} doubt{{end}}">{{.Report.Verdict}}</p>
{{with .Report.Doubts}}<ul>{{range .}}<li>{{.}}</li>{{end}}</ul>{{end}}
<h2>Coefficients</h2>
<table>
<tr><th>Coefficient</th><th>Mean, 95&nbsp;% interval</th><th></th></tr>
{{range .Report.Numbers}}<tr><td>{{.Symbol}}</td><td class="number">{{text .}}</td><td>{{.Meaning}}{{with .Note}}; {{.}}{{end}}</td></tr>
{{end}}</table>
{{if .Report.Parts}}<h2>Drag by part</h2>
<table>
<tr><th>Part</th><th>C_D</th><th>by pressure</th><th>by friction</th><th>share</th></tr>
{{range .Report.Parts}}<tr><td>{{.Part}}</td><td class="number">{{text .Drag}}</td><td class="number">{{text .Pressure}}</td><td class="number">{{text .Friction}}</td><td class="number">{{percent .Share}}</td></tr>
{{end}}</table>
<p>{{.Report.OfParts}}</p>
{{end}}{{with .Report.Surfaces}}<h2>The surface</h2>
<table>
<tr><th>File</th><th>What is wrong</th><th>What was done</th></tr>
{{range .}}<tr><td>{{.File}}</td><td>{{.What}}</td><td>{{.Done}}</td></tr>
{{end}}</table>
{{end}}<h2>The run</h2>
<table>
{{range .Report.Given}}<tr><td>{{.What}}</td><td>{{.Value}}</td></tr>
{{end}}</table>
{{range .Images}}<figure><img alt="{{.Caption}}" src="{{data .PNG}}"><figcaption>{{.Caption}}</figcaption></figure>
{{end}}{{with .Report.Warnings}}<h2>Warnings of the run</h2>
<ul>{{range .}}<li>{{.Text}}</li>{{end}}</ul>{{end}}
</body>
</html>
`))

// Page writes the report as one HTML file with its pictures in it.
func (r *Report) Page(w io.Writer, images []Image) error {
	return page.Execute(w, struct {
		Report *Report
		Images []Image
	}{r, images})
}
