// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package live

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// browser is a headless Chromium, driven by its DevTools protocol over two pipes: JSON messages that end with a zero byte.
type browser struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	id      int
	session string
	faults  []string // errors and warnings that the page has logged
}

// browse starts a browser.
func browse(t *testing.T) *browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "google-chrome", "chromium-headless-shell"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		if os.Getenv("LBMSIM_REQUIRE_BROWSER") == "1" {
			t.Fatal("there is no Chromium in PATH: scripts/setup.sh test installs it, and LBMSIM_REQUIRE_BROWSER=0 does without")
		}
		t.Skip("there is no Chromium in PATH")
	}
	theirs, to, err1 := os.Pipe()
	from, ours, err2 := os.Pipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	c := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir())
	c.ExtraFiles = []*os.File{theirs, ours}
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	ours.Close()
	_ = from.SetReadDeadline(time.Now().Add(5 * time.Minute))
	t.Cleanup(func() {
		_, _ = fmt.Fprint(to, `{"id":1000000,"method":"Browser.close"}`+"\x00")
		time.AfterFunc(10*time.Second, func() { _ = c.Process.Kill() })
		_ = c.Wait()
		if t.Failed() {
			t.Logf("the browser's stderr:\n%s", said.Bytes())
		}
	})
	b := &browser{t: t, to: to, from: bufio.NewReader(from)}
	target := b.call("Target.createTarget", map[string]any{"url": "about:blank"})
	b.session = b.call("Target.attachToTarget", map[string]any{"targetId": target["targetId"], "flatten": true})["sessionId"].(string)
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.call(domain+".enable", nil)
	}
	return b
}

// call calls a method and returns its result; messages that the page logs meanwhile are kept.
func (b *browser) call(method string, params any) map[string]any {
	b.t.Helper()
	b.id++
	text, err := json.Marshal(map[string]any{"id": b.id, "method": method, "params": params, "sessionId": b.session})
	if err != nil {
		b.t.Fatal(err)
	}
	if b.session == "" {
		text, _ = json.Marshal(map[string]any{"id": b.id, "method": method, "params": params})
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		text, err := b.from.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		var m struct {
			ID     int            `json:"id"`
			Method string         `json:"method"`
			Params map[string]any `json:"params"`
			Result map[string]any `json:"result"`
			Error  map[string]any `json:"error"`
		}
		if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
			b.t.Fatal(err)
		}
		switch {
		case m.ID == b.id && m.Error != nil:
			b.t.Fatalf("%s: %v", method, m.Error)
		case m.ID == b.id:
			return m.Result
		case m.Method == "Runtime.exceptionThrown":
			b.faults = append(b.faults, fmt.Sprint(m.Params["exceptionDetails"]))
		case m.Method == "Runtime.consoleAPICalled":
			if kind := m.Params["type"]; kind == "error" || kind == "warning" || kind == "assert" {
				b.faults = append(b.faults, fmt.Sprint(kind, " ", m.Params["args"]))
			}
		case m.Method == "Log.entryAdded":
			if e := m.Params["entry"].(map[string]any); e["level"] == "error" || e["level"] == "warning" {
				b.faults = append(b.faults, fmt.Sprint(e["text"], " ", e["url"]))
			}
		}
	}
}

// open loads a page, as in a window of a size, with a colour scheme.
func (b *browser) open(url string, width, height int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
	b.call("Page.navigate", map[string]any{"url": "about:blank"})
	b.call("Page.navigate", map[string]any{"url": url})
}

// value returns the value of an expression of JavaScript, or of its promise.
func (b *browser) value(expression string) any {
	b.t.Helper()
	r := b.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true})
	if e, failed := r["exceptionDetails"]; failed {
		b.t.Fatalf("%s: %v", expression, e)
	}
	return r["result"].(map[string]any)["value"]
}

// await waits until an expression is true.
func (b *browser) await(expression string) {
	b.t.Helper()
	for range 600 { // a minute: tests share cores, and pictures are rate-limited
		if b.value("(() => { try { return !!("+expression+") } catch { return false } })()") == true { // does not exist yet
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.t.Fatalf("%s is not true after a minute; the page says:\n%v\nerrors: %v", expression, b.value("document.body.innerText"), b.faults)
}

// picture writes the whole page as a picture where the variable LBMSIM_SCREENSHOTS names a folder.
func (b *browser) picture(name string) {
	dir := os.Getenv("LBMSIM_SCREENSHOTS")
	if dir == "" {
		return
	}
	data := b.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true})["data"].(string)
	text, err := base64.StdEncoding.DecodeString(data)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), text, 0o666)
	}
	if err != nil {
		b.t.Error(err)
	}
}

// clean reports errors and warnings that the page has logged, except those that contain one of some words.
func (b *browser) clean(allowed ...string) {
	b.t.Helper()
	for _, f := range b.faults {
		if !slices.ContainsFunc(allowed, func(word string) bool { return strings.Contains(f, word) }) {
			b.t.Errorf("the page has an error: %s", f)
		}
	}
}
