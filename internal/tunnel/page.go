// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package tunnel

import (
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"
)

// Image is a picture of the report's page.
type Image struct {
	Caption string
	PNG     []byte
}

// head is followed by the title, and the body.
const head = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
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
`

// markup collects a page. html/template is not used: it calls methods by name, and then the linker keeps every exported
// method of the whole program, a fifth of lbmsim.
type markup struct{ strings.Builder }

// add appends markup; text in place of its verbs is escaped.
func (m *markup) add(format string, text ...string) {
	escaped := make([]any, len(text))
	for i, s := range text {
		escaped[i] = html.EscapeString(s)
	}
	fmt.Fprintf(m, format, escaped...)
}

// list appends items, if any.
func (m *markup) list(items []string) {
	if len(items) == 0 {
		return
	}
	m.add("<ul>")
	for _, s := range items {
		m.add("<li>%s</li>", s)
	}
	m.add("</ul>\n")
}

// Page writes the report as one HTML file with its pictures in it. It needs no other file and has no scripts.
func (r *Report) Page(w io.Writer, images []Image) error {
	var m markup
	m.WriteString(head)
	m.add("<title>%s: %s</title>\n</head>\n<body>\n<h1>%[1]s</h1>\n", r.Title, r.Verdict)
	class := "verdict"
	if len(r.Doubts) > 0 {
		class = "verdict doubt"
	}
	m.add("<p class=\"%s\">%s</p>\n", class, r.Verdict)
	m.list(r.Doubts)
	m.WriteString("<h2>Coefficients</h2>\n<table>\n<tr><th>Coefficient</th><th>Mean, 95&nbsp;% interval</th><th></th></tr>\n")
	for _, c := range r.Numbers {
		m.add("<tr><td>%s</td><td class=\"number\">%s</td><td>%s</td></tr>\n", c.Symbol, c.text(), c.remark())
	}
	m.add("</table>\n")
	r.bodyParts(&m)
	m.add("<h2>The run</h2>\n<table>\n")
	for _, f := range r.Given {
		m.add("<tr><td>%s</td><td>%s</td></tr>\n", f.What, f.Value)
	}
	m.add("</table>\n")
	for _, i := range images {
		m.add("<figure><img alt=\"%s\" src=\"data:image/png;base64,%s\"><figcaption>%[1]s</figcaption></figure>\n", i.Caption, base64.StdEncoding.EncodeToString(i.PNG))
	}
	if len(r.Warnings) > 0 {
		m.add("<h2>Warnings of the run</h2>\n")
		m.list(r.Warnings.Texts())
	}
	m.add("</body>\n</html>\n")
	_, err := io.WriteString(w, m.String())
	return err
}

// bodyParts adds the drag by part and the defects of the surface, where they exist.
func (r *Report) bodyParts(m *markup) {
	if len(r.Parts) > 0 {
		m.add("<h2>Drag by part</h2>\n<table>\n<tr><th>Part</th><th>C_D</th><th>by pressure</th><th>by friction</th><th>share</th><th>area without pressure, friction</th></tr>\n")
		for _, p := range r.Parts {
			m.add("<tr><td>%s</td><td class=\"number\">%s</td><td class=\"number\">%s</td><td class=\"number\">%s</td><td class=\"number\">%s</td><td class=\"number\">%s</td></tr>\n",
				p.Part, p.Drag.text(), p.Pressure.text(), p.Friction.text(), percent(p.Share), p.dry())
		}
		m.add("</table>\n<p>%s</p>\n", r.OfParts)
	}
	if len(r.Surfaces) > 0 {
		m.add("<h2>The surface</h2>\n<table>\n<tr><th>File</th><th>Defects</th><th>Repairs</th></tr>\n")
		for _, d := range r.Surfaces {
			m.add("<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", d.File, d.What, d.Done)
		}
		m.add("</table>\n")
	}
}
