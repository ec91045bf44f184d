// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package live

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device/cpu"
	"lbmsim/internal/allowance"
	"lbmsim/internal/finding"
	"lbmsim/io/picture"
	"lbmsim/report"
	"lbmsim/sim"
	"lbmsim/sim/output"
)

// eager shows pictures whatever they cost: on a busy machine their time budget is soon exhausted. Pauses leave time for the
// browser.
type eager struct {
	*requestQueue
	next time.Time
}

func (e *eager) Wanted(func(output.Budget) bool) output.Request {
	now := time.Now()
	if now.Before(e.next) {
		return nil
	}
	e.mu.Lock()
	for k := range e.accounts {
		e.accounts[k] = allowance.New(1, time.Hour, now)
	}
	e.mu.Unlock()
	e.next = now.Add(100 * time.Millisecond)
	return e.requestQueue.Wanted(always)
}

// computing runs a case on two ranks with a page, and returns the run's end.
func computing(t *testing.T, dir, text string) (s *Server, at string, end chan error) {
	t.Helper()
	keeper := report.NewStatus(func(finding.Finding) {})
	p := NewProcess(keeper.State)
	s, at = served(t, false, p)
	end = make(chan error, 1)
	go func() {
		err := comm.RunLocal(2, func(c comm.Comm) error {
			box, err := config.Load("box.toml", []byte(text))
			if err != nil {
				return err
			}
			dev, err := cpu.New(1)
			if err != nil {
				return err
			}
			defer dev.Close()
			box.OutputDir = dir
			o := sim.Options{Case: box, Comm: c, Device: dev, Report: report.Many{keeper, p}, Version: "test"}
			if c.Rank() == 0 {
				o.Orders, o.Viewer = []sim.Orders{p}, &eager{requestQueue: p.queue}
			}
			return sim.Run(o)
		})
		if err != nil {
			p.Fail(err) // as cmd does
		}
		end <- err
	}()
	return s, at, end
}

// late is part of the page's log if a busy machine takes longer for a picture than a viewer waits; the page repeats the
// request.
const late = "503"

// unnamed lists elements without a name for screen readers, and elements not reachable by keyboard.
const unnamed = `[...document.querySelectorAll("button, select, input, img, progress, a, summary, [role=img], [role=region]")].filter((e) => e.checkVisibility() &&
	!(e.getAttribute("aria-label") || document.getElementById(e.getAttribute("aria-labelledby"))?.textContent || e.alt || e.labels?.[0]?.textContent.trim() || e.textContent.trim() || e.src === ""))
	.concat([...document.querySelectorAll("[id]")].filter((e) => document.querySelectorAll("#" + CSS.escape(e.id)).length > 1), [...document.querySelectorAll("[tabindex]")].filter((e) => e.tabIndex > 0))
	.map((e) => e.outerHTML.slice(0, 80)).join("\n")`

// faint lists visible texts whose contrast with the card behind them is below 4.5 (WCAG 2.1, 1.4.3).
const faint = `(() => {
	const light = (c) => { const [r, g, b] = c.match(/[\d.]+/g).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!c.endsWith(", 0)")) return c; } return "rgb(255, 255, 255)"; };
	return [...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() && !e.disabled && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())).filter((e) => {
		const a = light(getComputedStyle(e).color), b = light(ground(e));
		return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
	}).map((e) => e.outerHTML.slice(0, 80)).join("\n");
})()`

// A browser shows a run that computes: in a large window and on a phone, light and dark, by keyboard alone. Its orders
// reach all ranks.
func TestPage(t *testing.T) {
	b := browse(t)
	dir := t.TempDir()
	s, at, end := computing(t, dir, boxText)
	for _, c := range []struct {
		name, scheme  string
		width, height int
	}{{"light", "light", 1400, 900}, {"dark", "dark", 1400, 900}, {"phone", "light", 390, 844}} {
		b.open(at+"/#"+s.token, c.width, c.height, c.scheme)
		b.await(`document.getElementById("phase")?.textContent === "running" && document.getElementById("bar").max > 1e9`)
		b.await(`document.querySelectorAll(".uplot").length >= 3`)
		b.await(`document.getElementById("plane").naturalWidth === 24`)
		b.await(`document.getElementById("log").textContent.includes("D2Q9")`)
		if at := b.value("location.href"); strings.Contains(at.(string), s.token) {
			t.Errorf("%s: the token stays in the address, which people copy: %s", c.name, at)
		}
		if wide := b.value("document.documentElement.scrollWidth").(float64); int(wide) > c.width {
			t.Errorf("%s: the page is %g pixels wide, more than its window", c.name, wide)
		}
		for what, list := range map[string]string{"without a name": unnamed, "with little contrast": faint} {
			if found := b.value(list); found != "" {
				t.Errorf("%s: %s:\n%s", c.name, what, found)
			}
		}
		b.picture(c.name)
	}
	// A vector of another component, then a field without any.
	b.value(`(() => { const f = document.getElementById("field"); f.value = "velocity"; f.dispatchEvent(new Event("change")); })()`)
	b.value(`(() => { const f = document.getElementById("component"); f.value = "y"; f.dispatchEvent(new Event("input")); })()`)
	b.await(`document.getElementById("slice-caption").textContent.includes("velocity y")`)
	if found, _ := filepath.Glob(filepath.Join(dir, "*.png")); len(found) > 0 {
		t.Errorf("pictures without an order: %v", found)
	}
	b.press(`[...document.querySelectorAll("#orders button")].find((b) => b.textContent.includes("pictures"))`)
	b.await(`document.querySelector("#pictures img")?.naturalWidth > 100`)
	b.press(`[...document.querySelectorAll("#orders button")].find((b) => b.textContent.includes("averages"))`)
	b.await(`document.getElementById("confirm").open && document.getElementById("h-confirm").textContent === "Restart the averages?"`)
	b.press(`document.querySelector("#confirm .danger")`)
	b.await(`document.getElementById("warnings").textContent.includes("averages restarted by order")`)
	b.press(`document.querySelector("#orders .danger")`)
	b.await(`document.getElementById("confirm").open && document.getElementById("h-confirm").textContent === "Stop the run?"`)
	b.picture("stop")
	b.press(`document.querySelector("#confirm .danger")`)
	if err := <-end; err != nil {
		t.Fatal(err)
	}
	b.await(`document.getElementById("phase").textContent === "stopped" && document.getElementById("facts").textContent.includes("stop.now")`)
	// Controls that the run no longer serves are disabled, with the reason; the last slice stays.
	const disabled = `[...document.querySelectorAll("#orders button, #slice select, #slice input")].every((e) => e.disabled)`
	b.await(disabled + ` && document.getElementById("answer").textContent.startsWith("The run has ended")`)
	if n := b.value(`document.querySelectorAll("#orders button").length`); n == 0. {
		t.Error("the orders are gone")
	}
	s.Close()
	b.await(`document.getElementById("link").textContent.includes("have ended")`)
	b.await(disabled + ` && document.getElementById("slice-caption").textContent.includes("velocity y")`)
	b.clean("409", late) // the last slice that the page requested
}

// A browser shows a view of a running computation, rotated by keys, pointer and wheel, and redrawn at rest. Without the
// token no content is shown and no order is accepted.
func TestPageOfViews(t *testing.T) {
	b := browse(t)
	s, at, end := computing(t, t.TempDir(), spaceText)
	for _, c := range []struct {
		name, scheme  string
		width, height int
	}{{"view phone", "light", 390, 844}, {"view dark", "dark", 1400, 900}, {"view light", "light", 1400, 900}} {
		b.open(at+"/#"+s.token, c.width, c.height, c.scheme)
		b.await(`document.getElementById("space").naturalWidth === 960 && document.getElementById("value").placeholder !== ""`)
		b.value(`document.getElementById("view-follow").click()`) // the saved pictures serve the next view
		if wide := b.value("document.documentElement.scrollWidth").(float64); int(wide) > c.width {
			t.Errorf("%s: the page is %g pixels wide, more than its window", c.name, wide)
		}
		for what, list := range map[string]string{"without a name": unnamed, "with little contrast": faint} {
			if found := b.value(list); found != "" {
				t.Errorf("%s: %s:\n%s", c.name, what, found)
			}
		}
		b.picture(c.name)
	}
	b.value(`(() => { window.before = document.getElementById("space").src; window.step = document.getElementById("steps").textContent; window.sizes = new Set();
		document.getElementById("space").addEventListener("load", (e) => window.sizes.add(e.target.naturalWidth));
		document.getElementById("turn").scrollIntoView({ block: "center" }); document.getElementById("turn").focus(); })()`)
	for range 4 {
		b.key("ArrowLeft", "")
	}
	b.key("ArrowUp", "")
	b.await(`document.getElementById("camera").textContent.startsWith("turned 40°, 29° above")`)
	b.await(`window.sizes.has(320) && document.getElementById("space").naturalWidth === 960 && document.getElementById("space").src !== window.before`)
	b.await(`document.getElementById("steps").textContent !== window.step`) // while the run computes
	b.picture("turned")
	middle := func(side string) float64 {
		return b.value(`(() => { const r = document.getElementById("turn").getBoundingClientRect(); return r.` + side + `; })()`).(float64)
	}
	x, y := middle("left")+middle("width")/2, middle("top")+middle("height")/2
	mouse := func(kind string, x, y float64, wheel int) {
		b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1, "deltaX": 0, "deltaY": wheel})
	}
	mouse("mousePressed", x, y, 0)
	mouse("mouseMoved", x+middle("width")/4, y, 0)
	mouse("mouseReleased", x+middle("width")/4, y, 0)
	b.await(`document.getElementById("camera").textContent.startsWith("turned 310°")`)
	mouse("mouseWheel", x, y, -100)
	b.key("+", "+")
	b.await(`document.getElementById("camera").textContent.endsWith("distance 0.71")`)
	b.press(`document.getElementById("reset")`)
	b.await(`document.getElementById("camera").textContent === "turned 0°, 24° above, distance 1"`)
	b.value(`(() => { const l = document.getElementById("level"); l.value = 30; l.dispatchEvent(new Event("input")); })()`)
	b.await(`parseFloat(document.getElementById("view-caption").textContent.split("q_criterion = ")[1]) === Number(document.getElementById("value").value)`)
	b.value(`(() => { const f = document.getElementById("surface"); f.value = "vorticity"; f.dispatchEvent(new Event("change")); })()`)
	b.await(`document.getElementById("view-caption").textContent.includes("on vorticity magnitude = ") && Number(document.getElementById("value").placeholder) > 0`)
	for _, path := range []string{"view?surface=speed", "order/stop"} {
		if code := b.value(`fetch("/api/0/` + path + `", { method: "POST" }).then((r) => r.status)`); code != 401. {
			t.Errorf("%s without the token: %v", path, code)
		}
	}
	b.press(`document.querySelector("#orders .danger")`)
	b.press(`document.querySelector("#confirm .danger")`)
	if err := <-end; err != nil {
		t.Fatal(err)
	}
	b.await(`[...document.querySelectorAll("#view select, #view input, #view button")].every((e) => e.disabled)`)
	if n := len(b.faults); n == 0 {
		t.Error("requests without the token are not logged")
	}
	b.faults = slices.DeleteFunc(b.faults, func(f string) bool { return strings.Contains(f, "401") })
	b.clean("409", late) // the last pictures that the page requested
}

// The page works below a path of another server, as behind jupyter-server-proxy, which buffers answers unless the request
// accepts events.
func TestPageBehindAProxy(t *testing.T) {
	b := browse(t)
	s, at, end := computing(t, t.TempDir(), boxText)
	to, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	behind := httputil.NewSingleHostReverseProxy(to)
	proxy := httptest.NewServer(http.StripPrefix("/user/x/proxy/4711", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") && r.Header.Get("Accept") != "text/event-stream" {
			t.Errorf("the page accepts %q from %s", r.Header.Get("Accept"), r.URL.Path)
		}
		behind.ServeHTTP(w, r)
	})))
	defer proxy.Close()
	b.open(proxy.URL+"/user/x/proxy/4711/#"+s.token, 1400, 900, "light")
	b.await(`document.getElementById("link").textContent === "connected" && document.getElementById("slice-caption").textContent.includes("step")`)
	b.press(`document.querySelector("#orders .danger")`)
	b.await(`document.getElementById("confirm").open`)
	b.press(`document.querySelector("#confirm .danger")`)
	if err := <-end; err != nil {
		t.Fatal(err)
	}
	b.await(`document.getElementById("phase").textContent === "stopped"`)
	s.Close()
	b.clean("409", late, "502")
}

// violations runs axe-core on the current page, and returns the rules that are violated with the elements.
const violations = `axe.run({ resultTypes: ["violations"] }).then((r) => r.violations.map((v) => v.id + " (" + v.impact + "): " + v.help + "\n" +
	v.nodes.map((n) => "    " + n.html.slice(0, 160) + "\n        " + n.failureSummary.replaceAll("\n", " ")).join("\n")).join("\n"))`

// axe-core (Deque Systems) finds no violation of its rules: WCAG 2 A and AA, and best practices.
func TestAccessibility(t *testing.T) {
	b := browse(t)
	axe, err := os.ReadFile("../.build/axe/axe.min.js")
	if err != nil {
		if os.Getenv("LBMSIM_REQUIRE_BROWSER") == "1" {
			t.Fatalf("%v: scripts/axe.sh fetches it, and LBMSIM_REQUIRE_BROWSER=0 does without", err)
		}
		t.Skipf("ACCESSIBILITY IS NOT CHECKED: %v; scripts/axe.sh fetches it", err)
	}
	run, at, end := computing(t, t.TempDir(), spaceText+"[output.picture]\nevery = 1000000000\nat_start = true\n[output.series.energy]\nevery = 1\n")
	p, _ := begun(t)
	q, _ := begun(t)
	list, there := served(t, false, p, q)
	for _, look := range []struct {
		name, scheme  string
		width, height int
	}{{"light", "light", 1400, 900}, {"dark", "dark", 1400, 900}, {"light phone", "light", 390, 844}, {"dark phone", "dark", 390, 844}} {
		check := func(page string) {
			t.Helper()
			b.value(string(axe) + "\ntrue")
			if found := b.value(violations); found != "" {
				t.Errorf("%s, %s:\n%s", page, look.name, found)
			}
		}
		b.open(at+"/#"+run.token, look.width, look.height, look.scheme)
		b.await(`document.getElementById("space").naturalWidth > 0 && document.getElementById("plane").naturalWidth > 0 && document.querySelectorAll(".uplot").length >= 3`)
		b.await(`document.querySelector("#pictures img")?.naturalWidth > 0 && document.querySelector("#tables .last")`)
		b.value(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
		check("a run")
		b.press(`document.querySelector("#orders .danger")`)
		b.await(`document.getElementById("confirm").open`)
		check("the question before a stop")
		b.open(there+"/#"+list.token, look.width, look.height, look.scheme)
		b.await(`document.querySelectorAll("tbody tr").length === 2`)
		check("the list of runs")
	}
	run.runs()[0].Order(sim.Order{Stop: true})
	if err := <-end; err != nil {
		t.Fatal(err)
	}
}

// key presses a key where the focus is.
func (b *browser) key(name, text string) {
	b.t.Helper()
	code := map[string]int{"Enter": 13, "ArrowLeft": 37, "ArrowUp": 38, "+": 187}[name]
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code, "text": text})
	}
}

// press presses Enter on a control that has the focus.
func (b *browser) press(control string) {
	b.t.Helper()
	b.await(control)
	b.value(control + ".focus()")
	b.key("Enter", "\r")
}

// A browser lists several runs, and leads to one of them and back.
func TestPageOfRuns(t *testing.T) {
	b := browse(t)
	p, all := begun(t)
	all.Progress(sim.Progress{Step: 5, Last: 10, MLUPS: 123})
	q, others := begun(t)
	others.Fail(fmt.Errorf("a <b>trial</b>"))
	s, at := served(t, true, p, q)
	b.open(at+"/#"+s.token, 390, 844, "dark")
	b.await(`document.querySelectorAll("tbody tr").length === 2 && document.body.textContent.includes("failed") && document.body.textContent.includes("123")`)
	if wide := b.value("document.documentElement.scrollWidth").(float64); wide > 390 {
		t.Errorf("the list is %g pixels wide", wide)
	}
	b.picture("runs")
	b.press(`document.querySelectorAll("tbody a")[1]`)
	b.await(`document.getElementById("facts")?.textContent.includes("a <b>trial</b>")`) // as text
	if hidden := b.value(`document.getElementById("orders").hidden`); hidden != true {
		t.Error("a page that may only watch has buttons")
	}
	b.press(`document.getElementById("back")`)
	b.await(`document.querySelectorAll("tbody tr").length === 2`)
	b.open(at+"/#"+strings.Repeat("0", 32), 390, 844, "light")
	b.await(`document.getElementById("link").textContent.includes("token")`)
	b.clean("401")
}

// Failed requests of rows and pictures are repeated even if the list of files no longer changes, and so are rows of a table
// that was truncated and has grown again.
func TestPageCatchesUp(t *testing.T) {
	b := browse(t)
	p, _ := begun(t)
	s, at := served(t, false, p)
	table := filepath.Join(p.Folder(), "series_energy.csv")
	write := func(last string) {
		t.Helper()
		if err := os.WriteFile(table, []byte("step,time,energy\n"+last), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	drawn := func(step, grey int) {
		t.Helper()
		img := image.NewGray(image.Rect(0, 0, grey, 4))
		var text bytes.Buffer
		if err := png.Encode(&text, img); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.Folder(), picture.FileName("speed", int64(step))), text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("1,1,11\n2,2,12\n")
	drawn(1, 5)
	b.open(at+"/#"+s.token, 1400, 900, "light")
	b.await(`document.querySelector("#tables .last").textContent.includes("12") && document.querySelector("#pictures img").naturalWidth === 5`)
	b.value(`(() => { const ask = window.fetch; let n = 0; window.failed = () => n;
		window.fetch = (url, o) => (/\/(rows|picture)\?/.test(url) && n++ < 4 ? Promise.reject(new TypeError("a trial")) : ask(url, o)); })()`)
	write("1,1,11\n2,2,12\n3,3,13\n")
	drawn(2, 6)
	b.await(`window.failed() >= 4 && document.querySelector("#tables .last").textContent.includes("13")`)
	b.await(`document.querySelector("#pictures img").naturalWidth === 6`)
	write("1,1,1100\n2,2,1200\n4,4,1400\n5,5,1500\n")
	b.await(`document.querySelector("#tables .last").textContent.includes("1500")`)
	if n := b.value(`(async () => { const { get } = await import("/api.js"); return (await get("0/rows?table=series_energy.csv&from=0")).text.split("\n").length })()`); n != 4.0 {
		t.Errorf("%v rows", n)
	}
	b.clean()
}

// The modules of the page are valid JavaScript, where node is at hand to say so.
func TestModules(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	found, err := filepath.Glob("page/*.js")
	if err != nil || len(found) < 5 {
		t.Fatal(found, err)
	}
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		module := filepath.Join(t.TempDir(), "module.mjs")
		if err := os.WriteFile(module, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(node, "--check", module).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}
