//! How long the screen takes from a key to the frame that shows its effect, while a measurement runs: with a history of 10,000 steps,
//! code of 5,000 lines, 1,300 loops at which 13,000 rewrites are listed, and a term of 20,000 nodes, and how much memory each takes.
//!
//! The goals: 16 ms at the 99th percentile, 150 MB. Each part has a process of its own, since memory that was freed stays with a
//! process: `cargo bench -p shine-benches --bench screen -- history`, `kernel`, `loops`, `term`. Frames are written as for a terminal, to
//! nowhere, and every core is kept busy, as a parallel kernel would.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "this measures, and stops at the first mistake"
)]

use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use shine_tui::device::fake::{FakeDevices, Reply};
use shine_tui::lang::path::Path;
use shine_tui::session::action::{Action, Sizes};
use shine_tui::session::files::{Origin, Text, Texts};
use shine_tui::session::state::Session;
use shine_tui::ui::app::{App, Setup};
use shine_tui::ui::capabilities::{Capabilities, Depth};
use shine_tui::ui::draw::draw;
use shine_tui::ui::event::Msg;
use shine_tui::ui::keys::{Keymap, sequence};
use shine_tui::ui::queries::Queries;
use shine_tui::ui::splits::Splits;
use shine_tui::ui::theme::Theme;
use shine_tui::ui::update::update;
use shine_tui::view::Alphabet;
use std::collections::BTreeMap;
use std::fs::File;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 36), (200, 60)];
const PARTS: [&str; 4] = ["history", "kernel", "loops", "term"];

/// The screen on a program.
struct Screen {
    app: App,
    terminal: Terminal<CrosstermBackend<File>>,
}

fn terminal((width, height): (u16, u16)) -> Terminal<CrosstermBackend<File>> {
    let nowhere = File::options().write(true).open("/dev/null").unwrap();
    let viewport = Viewport::Fixed(Rect::new(0, 0, width, height));
    Terminal::with_options(CrosstermBackend::new(nowhere), TerminalOptions { viewport }).unwrap()
}

impl Screen {
    fn new(program: &str) -> Screen {
        let texts = Texts {
            program: Text { label: "bench.rise".to_owned(), text: program.to_owned() },
            files: vec![],
            default_sizes: Default::default(),
            origin: Origin::default(),
        };
        let quiet: Arc<dyn Fn() + Send + Sync> = Arc::new(|| {});
        let devices = Arc::new(FakeDevices::new().reply(Reply::Hang));
        let sizes = Sizes::from_iter([("n".into(), 8192)]);
        let session = Session::open(&texts, None, &sizes, devices, quiet.clone());
        let Ok(session) = session else { panic!("the program is wrong") };
        let shown = Capabilities { depth: Depth::True, alphabet: Alphabet::Unicode };
        let setup = Setup {
            folder: None,
            mouse: true,
            splits: Splits::default(),
            terminal: shown,
            theme: Theme::load("default", None, shown.depth).unwrap(),
            keys: Keymap::load(None).unwrap(),
            editor: None,
            inputs: String::new(),
        };
        let app = App::new(session, setup, Queries::new(quiet), SIZES[0]);
        Screen { app, terminal: terminal(SIZES[0]) }
    }

    /// From a message to its frame, as the loop of the screen goes.
    fn frame(&mut self, msg: Msg) -> Duration {
        let from = Instant::now();
        update(&mut self.app, msg);
        self.app.settle();
        let app = &self.app;
        self.terminal.draw(|frame| draw(app, frame)).unwrap();
        from.elapsed()
    }

    fn press(&mut self, keys: &str) -> Vec<(Duration, String)> {
        let keys = sequence(keys).unwrap();
        let spell = shine_tui::ui::keys::spell;
        keys.into_iter()
            .map(|key| (self.frame(Msg::Key(key.into(), Instant::now())), spell(&[key])))
            .collect()
    }

    fn resize(&mut self, size: (u16, u16)) {
        self.terminal = terminal(size);
        self.frame(Msg::Resize(size.0, size.1));
    }

    /// Until what is asked in the background is there.
    fn settle(&mut self) {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(120) {
            self.frame(Msg::News);
            if self.app.queries.is_idle() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        println!("  what is asked in the background was not there after two minutes");
    }
}

/// Keys that go through what there is; `focus` gives the pane the keys.
fn walk(screen: &mut Screen, focus: &str) -> Vec<(Duration, String)> {
    screen.press(focus);
    let mut times = vec![];
    for _ in 0..10 {
        times.extend(screen.press("j j j C-d k PgDn J l G k k PgUp K h C-u g g Tab S-Tab p Esc"));
        times.extend(screen.press("/ 7 Enter n N / C-u Enter Space Space ' d j Esc"));
        times.push((screen.frame(Msg::Tick), "a second".to_owned()));
    }
    times
}

fn history() -> Screen {
    let mut screen = Screen::new("def f (a: n.f32): n.f32 = a |> map sqrt |> map abs");
    for i in 0..10_000 {
        // There and back: no two states that follow each other are the same.
        let rule = ["mapFusion", "mapFission"][i % 2];
        let text = format!("topDown({rule})");
        let done = screen.app.session.perform_now(Action::Strategy { text, at: Path::root() });
        done.unwrap_or_else(|problem| panic!("{rule}: {}", problem.message));
    }
    screen
}

/// Each component of each element of an array has its own statement.
fn kernel() -> Screen {
    let pairs = "mapSeqUnroll (\\x. pair (x * 2 + 1) (x * 3))";
    Screen::new(&format!("def f (a: n.f32): 2500.(f32 * f32) = take 2500 a |> {pairs}"))
}

/// A sum of so many terms, no deeper than it has to be.
fn sum(from: usize, to: usize, of: &dyn Fn(usize) -> String) -> String {
    match to - from {
        1 => of(from),
        n => format!("({} + {})", sum(from, from + n / 2, of), sum(from + n / 2, to, of)),
    }
}

/// A loop of its own for each of many sums, which rules rewrite one by one.
fn loops() -> Screen {
    let loops = sum(0, 1_300, &|i| format!("(reduce (+) {i}.5 (a |> map (\\x. x * {i}.25)))"));
    Screen::new(&format!("def f (a: n.f32): f32 = {loops}"))
}

fn term() -> Screen {
    let sum = sum(0, 2_500, &|i| format!("x * {i}"));
    Screen::new(&format!("def f (a: n.f32): n.f32 = a |> map (\\x. {sum})"))
}

/// A line of the process's status, in megabytes.
fn status(what: &str) -> f64 {
    let all = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = all.lines().find_map(|line| line.strip_prefix(what)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or_default() / 1e3
}

/// The keys that take longest, with the median and the longest time of each.
fn slowest(sorted: &[(Duration, String)]) -> String {
    let mut keys: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (time, key) in sorted {
        keys.entry(key).or_default().push(time.as_secs_f64() * 1e3);
    }
    let mut keys: Vec<(f64, f64, &str)> =
        keys.into_iter().map(|(key, times)| (times[times.len() - 1], times[times.len() / 2], key)).collect();
    keys.sort_by(|a, b| b.0.total_cmp(&a.0));
    let shown = keys.iter().take(6).map(|(most, median, key)| format!("{key} {median:.1} to {most:.1} ms"));
    shown.collect::<Vec<_>>().join(", ")
}

fn part(name: &str) {
    let begin = Instant::now();
    let (mut screen, focus) = match name {
        "history" => (history(), "7"),
        "kernel" => (kernel(), "5"),
        "loops" => (loops(), "5"),
        _ => (term(), "1"),
    };
    screen.settle();
    screen.press("5");
    screen.settle();
    let built = begin.elapsed();
    let nodes = screen.app.session.term().size();
    let lines = shine_tui::ui::panes::kernel::text(&screen.app).map_or(0, |text| text.lines().count());
    let steps = screen.app.session.history().len() - 1;
    let made = built.as_secs_f64();
    println!("{name}: {steps} steps, {lines} lines of code, {nodes} nodes; made in {made:.1} s");
    let _ = screen.app.session.perform(Action::Bench { device: "cpu".to_owned() });
    let done = Arc::new(AtomicBool::new(false));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let spin = |done: Arc<AtomicBool>| {
        while !done.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    };
    let busy: Vec<_> =
        (0..cores).map(|_| done.clone()).map(|done| std::thread::spawn(move || spin(done))).collect();
    for size in SIZES {
        screen.resize(size);
        screen.settle();
        let mut times = walk(&mut screen, focus);
        times.sort_unstable();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].0.as_secs_f64() * 1e3;
        let (columns, rows) = size;
        println!(
            "  {columns}×{rows}: {} keys, median {:.2} ms, 99th percentile {:.2} ms, longest {:.2} ms ({})",
            times.len(),
            at(0.5),
            at(0.99),
            at(1.0),
            times.last().unwrap().1,
        );
        println!("    slowest: {}", slowest(&times));
    }
    println!("  resident {:.0} MB, at most {:.0} MB", status("VmRSS:"), status("VmHWM:"));
    done.store(true, Ordering::Relaxed);
    screen.app.session.cancel_all();
    busy.into_iter().for_each(|thread| thread.join().unwrap());
}

fn main() {
    let named = std::env::args().nth(1).filter(|name| PARTS.contains(&name.as_str()));
    if let Some(name) = named {
        // Terms are nested deeper than the stack of the first thread allows.
        std::thread::Builder::new().stack_size(64 << 20).spawn(move || part(&name)).unwrap().join().unwrap();
        return;
    }
    for name in PARTS {
        assert!(Command::new(std::env::current_exe().unwrap()).arg(name).status().unwrap().success());
    }
}
