//! The page of a session in a browser: what it shows, where its links lead, how it reads on a phone, and that it loads nothing.
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use crate::cli_common::run;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is asked of the page in the browser; the answer is put into it as text.
const QUESTIONS: &str = r#"<script>
addEventListener('load', () => {
  const all = [...document.querySelectorAll('body *')];
  document.querySelectorAll('details').forEach(d => d.open = true);
  const numbers = text => text.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = e => {
    for (; e; e = e.parentElement) {
      const back = numbers(getComputedStyle(e).backgroundColor);
      if (back.length < 4 || back[3] > 0) return back;
    }
    return [255, 255, 255];
  };
  const contrast = e => {
    const [a, b] = [light(numbers(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const says = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  const links = [...document.querySelectorAll('a')];
  const found = {
    faint: all.filter(says).filter(e => contrast(e) < 4.5).map(e => e.className + ': ' + e.textContent.slice(0, 40)),
    lost: links.filter(a => !document.getElementById(decodeURIComponent(a.hash.slice(1)))).map(a => a.outerHTML),
    links: links.length,
    wide: document.documentElement.scrollWidth - innerWidth,
    cut: [...document.querySelectorAll('pre')].filter(p => p.scrollWidth > p.clientWidth)
      .filter(p => p.className === 'said' || p.textContent.includes('of what is allowed')).map(p => p.textContent.slice(0, 60)),
    loaded: performance.getEntriesByType('resource').map(r => r.name),
    width: innerWidth,
  };
  const verdict = 'VERDICT' + JSON.stringify(found) + 'END';
  if (parent === window) document.body.append(verdict); else parent.postMessage(verdict, '*');
});
</script>"#;

/// The page as a phone shows it: a browser's own window may be no narrower than 500 columns of pixels.
const PHONE: &str = r#"<!DOCTYPE html><title>phone</title>
<script>onmessage = said => document.body.append(said.data)</script>
<body><iframe src="asked.html" width="360" height="844" style="border:0"></iframe></body>"#;

/// A browser without a window, where there is one.
fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<PathBuf> = std::env::var_os("PATH").map(|p| std::env::split_paths(&p).collect())?;
    let found = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|p| p.is_file());
    if found.is_none() {
        assert!(std::env::var_os("SHINE_REQUIRE_BROWSER").is_none(), "there is no browser");
        eprintln!("SKIPPED: there is no browser, so nobody has looked at the page of a session");
    }
    found
}

/// What the browser says of a page: its text, and the answers.
fn asked(browser: &Path, page: &Path) -> (String, serde_json::Value) {
    let profile = tempfile::tempdir().unwrap();
    let ran = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"])
        .args(["--virtual-time-budget=4000", "--window-size=1280,900"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&ran.stdout).into_owned();
    let verdict = dom.rsplit_once("VERDICT").and_then(|(_, rest)| rest.split_once("END"));
    let Some((verdict, _)) = verdict else { panic!("{}", String::from_utf8_lossy(&ran.stderr)) };
    let verdict = verdict.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let verdict = serde_json::from_str(&verdict).unwrap_or_else(|why| panic!("{why}: {verdict}"));
    (dom, verdict)
}

#[test]
fn the_page_reads_in_a_browser_and_on_a_phone_and_loads_nothing() {
    let Some(browser) = browser() else { return };
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(
        dir.join("f.rise"),
        "--| Adds <b>one</b> & <script>document.title = 'run'</script>.\ndef f (a: n.f32): n.f32 = a |> map (\\x. x + 1) |> map abs",
    )
    .unwrap();
    let bench = |strategy: &str, size: &str| {
        let ran = run(dir, &["bench", "f.rise", "-s", strategy, "--size", size, "--session", "s.ron"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    };
    bench("topDown(mapFusion) ; topDown(useMapSeq)", "n=64");
    assert_eq!(run(dir, &["export", "s.ron", "--html", "s.html", "--roofline"]).code, 0);
    let page = std::fs::read_to_string(dir.join("s.html")).unwrap();
    // What is asked stands in a copy; the page itself has no script.
    assert!(!page.contains("<script"), "{page}");
    let copy = dir.join("asked.html");
    let asking = page.replacen("default-src 'none'", "default-src 'none'; script-src 'unsafe-inline'", 1);
    std::fs::write(&copy, asking.replacen("</body>", &format!("{QUESTIONS}</body>"), 1)).unwrap();
    std::fs::write(dir.join("phone.html"), PHONE).unwrap();
    let (dom, wide) = asked(&browser, &copy);
    for part in ["History", "Measured times", "Roofline of cpu", "void f(", "&lt;script&gt;", "Environment"] {
        assert!(dom.contains(part), "{part}");
    }
    let (_, narrow) = asked(&browser, &dir.join("phone.html"));
    assert_eq!((&wide["width"], &narrow["width"]), (&1280.into(), &360.into()), "{wide} {narrow}");
    for said in [wide, narrow] {
        assert!(said["links"].as_u64().is_some_and(|n| n > 5), "{said}");
        for nothing in ["faint", "lost", "cut", "loaded"] {
            assert_eq!(said[nothing].as_array().map(Vec::len), Some(0), "{nothing}: {said}");
        }
        assert!(said["wide"].as_i64().is_some_and(|n| n <= 0), "{said}");
    }
}
