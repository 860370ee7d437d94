//! The tour of the book, sentence by sentence, of which the README has a part, and the README's commands, through the real
//! binary: a sentence or a command that is edited must have its step here.

use crate::pty_common::Terminal;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const README: &str = include_str!("../README.md");
const CHAPTER: &str = include_str!("../docs/tour.md");
const COMMANDS: &str = include_str!("../docs/commands.md");
const BINARY: &str = env!("CARGO_BIN_EXE_shine-tui");

/// A folder with the kernels of the project, at sizes that are measured in no time.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let pictures = folder.path().join("assets/pictures");
    std::fs::create_dir_all(&pictures).unwrap();
    let house = "assets/pictures/house.png";
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(house), folder.path().join(house)).unwrap();
    for name in ["dot", "matmul", "harris", "gemv"] {
        let (from, to) = (project.join(name), folder.path().join("kernels").join(name));
        std::fs::create_dir_all(&to).unwrap();
        for file in ["rise", "rules", "elevate"].map(|ending| format!("{name}.{ending}")) {
            if from.join(&file).exists() {
                std::fs::copy(from.join(&file), to.join(&file)).unwrap();
            }
        }
    }
    let sessions = folder.path().join("sessions");
    std::fs::create_dir(&sessions).unwrap();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions/dot.ron");
    std::fs::copy(recorded, sessions.join("dot.ron")).unwrap();
    let sizes = |name: &str, text: &str| {
        std::fs::write(folder.path().join("kernels").join(name).join("sizes.ron"), text).unwrap();
    };
    sizes("matmul", "{ \"m\": 64, \"n\": 64, \"k\": 64 }");
    sizes("dot", "{ \"k\": 4096 }");
    folder
}

/// The part of a text below a heading.
fn section(text: &'static str, heading: &str) -> &'static str {
    let start = text.find(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no section {heading}"));
    let rest = &text[start + 1..];
    let end = ["\n## ", "\n### "].iter().filter_map(|heading| rest.find(heading)).min();
    end.map_or(rest, |end| &rest[..end])
}

/// The commands of the shell blocks in a text, without their comments.
fn commands(text: &str) -> Vec<String> {
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.flat_map(str::lines);
    lines.map(|line| line.split("  #").next().unwrap().trim().to_owned()).filter(|l| !l.is_empty()).collect()
}

/// A text without its shell blocks, as sentences; a semicolon ends one too.
fn sentences(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for prose in text.split("```").step_by(2) {
        let prose = prose.split_whitespace().collect::<Vec<_>>().join(" ");
        let (mut code, mut now) = (false, String::new());
        let mut chars = prose.chars().peekable();
        while let Some(c) = chars.next() {
            now.push(c);
            code ^= c == '`';
            let ends = matches!(c, '.' | ';') && chars.peek().is_none_or(|next| *next == ' ');
            if ends && !code {
                out.push(std::mem::take(&mut now).trim().to_owned());
            }
        }
        out.push(now.trim().to_owned());
    }
    // Numbers and headings of the steps are no sentences.
    out.into_iter().filter(|s| s.split(' ').count() > 1 && !s.starts_with("## ")).collect()
}

/// A walk through the tour.
struct Tour {
    terminal: Terminal,
}

impl Tour {
    fn press(&mut self, keys: &str) -> &mut Tour {
        self.terminal.press(keys);
        self
    }

    /// Escape; what follows it at once would be taken for a key with Alt.
    fn esc(&mut self) -> &mut Tour {
        self.press("\x1b");
        std::thread::sleep(Duration::from_millis(200));
        self
    }

    /// Waits until the screen shows all of these.
    fn sees(&mut self, texts: &[&str]) -> &mut Tour {
        for text in texts {
            self.terminal.until_text(text);
        }
        self
    }

    /// Waits until the screen shows none of these.
    fn leaves(&mut self, texts: &[&str]) -> &mut Tour {
        for text in texts {
            self.terminal
                .until(&format!("no {text}"), |seen| !seen.parser.screen().contents().contains(text));
        }
        self
    }

    fn file(&self, name: &str) -> PathBuf {
        self.terminal.folder.path().join(name)
    }
}

/// What the tour says, and the proof of it. What is proved by the sentence after it stands with nothing to do.
type Step = (&'static str, fn(&mut Tour));

const TOUR: &[Step] = &[
    ("**Look.** The left pane is the program as a typed term.", |tour| {
        tour.sees(&["1 Term", "all : m.k.f32 -> k.n.f32 -> m.n.f32", "transpose b", "reduce (+) 0.0"]);
    }),
    ("Move with the arrow keys or `h j k l`;", |tour| {
        tour.press("l").leaves(&["all : "]);
        tour.press("h").sees(&["all : "]);
        tour.press("j").leaves(&["all : "]);
        tour.press("k").sees(&["all : "]);
        tour.press("\x1b[B").leaves(&["all : "]);
        tour.press("\x1b[A").sees(&["all : "]);
        tour.press("\x1b[C").leaves(&["all : "]);
        tour.press("\x1b[D").sees(&["all : "]);
    }),
    ("`J` shrinks the selection to its first part, `K` grows it again.", |tour| {
        tour.press("J").leaves(&["all : "]).sees(&["(0.0) : m.n.f32"]);
        tour.press("J").leaves(&["(0.0) : m.n.f32"]);
        tour.press("K").sees(&["(0.0) : m.n.f32"]);
    }),
    ("The selection's position and type stand above it.", |tour| {
        tour.sees(&["│map (0.0) : m.n.f32"]).press("K").sees(&["│all : m.k.f32 -> k.n.f32 -> m.n.f32"]);
    }),
    (
        "`Tab` goes from pane to pane, `?` explains the keys of the one you are in, and `:` finds every command and \
         every strategy by name.",
        |tour| {
            tour.press("\t").sees(&["Enter select"]).press("\t").sees(&["i why"]);
            tour.press("?").sees(&["Help: Rules pane first", "all-rules"]).esc().leaves(&["Help:"]);
            tour.press(":").sees(&["Command or strategy"]).press("half-page").sees(&["half-page-down"]);
            tour.press("\x15tile")
                .sees(&["Tiles two nested maps"])
                .press("\x15blocking")
                .sees(&["Sums up blocks"]);
            tour.esc().leaves(&["Command or strategy"]);
        },
    ),
    (
        "**Rewrite.** `3` shows the rules that apply to the selection or inside of it, first those that change the \
         loops, and of the highlighted one its diff.",
        |tour| {
            tour.press("1").press("3").sees(&[
                "[3 Rules]",
                "rewrites in",
                "best first",
                "✓ map ",
                "mapInterchange",
            ]);
            tour.sees(&["-   a ▷ map (λrow."]);
        },
    ),
    (
        "`/` narrows the list as you type, `Enter` goes back to it with the best match highlighted, and a second one applies that;",
        |tour| {
            tour.press("/")
                .sees(&["Only the rules with"])
                .press("reduceMapF")
                .sees(&["with `reducemapf`: 1 of "]);
            tour.press("\r").sees(&["Enter applies `reduceMapFusion`", "rev 0/0"]);
            tour.press("\r").sees(&["rev 1/1", "Revision 1: reduceMapFusion at"]);
            tour.press("u").sees(&["rev 0/1"]);
        },
    ),
    (
        "`p` previews the highlighted rule (`Tab` goes from the term to the loops and the code) and `Enter` applies it, \
         after asking for arguments where it takes some;",
        |tour| {
            tour.sees(&["✓ map ", "best first"]).press("/mapInterch").sees(&["2 of "]).press("\t");
            tour.press("p").sees(&["mapInterchange at 0.0", "Enter do it"]);
            tour.press("\t").sees(&["for m"]).press("\t").sees(&["for (int"]);
            tour.esc().leaves(&["Enter do it"]).sees(&["rev 0/1"]);
        },
    ),
    ("`E` applies it everywhere in the selection.", |tour| {
        tour.press("E").sees(&["Revision 2: ", "mapInterchange", "rev 2/2"]);
        tour.esc().sees(&["best first"]);
    }),
    ("`u` undoes and `Ctrl-r` redoes;", |tour| {
        tour.press("u").sees(&["rev 0/2"]).press("\x12").sees(&["rev 2/2"]).press("u").sees(&["rev 0/2"]);
    }),
    (
        "the history (`7`) is a tree, nothing is lost: `d` there compares any state with a pinned one (`'`), and `W` does \
         again what followed a step, without it.",
        |tour| {
            tour.press("7").sees(&["[7 History]", "● 0 matmul", "1 reduceMapFusion", "2 "]);
            tour.press("gg'").press("Gd").sees(&["mapInterchange"]);
            tour.esc().press("G\r").sees(&["rev 2/2"]).press("gg\r").sees(&["rev 0/2"]);
        },
    ),
    (
        "Single steps that follow each other are one row there, and `Space` opens a row to what was done in it.",
        |tour| {
            tour.press("G ").sees(&["This row is one step; there is nothing to open in it."]).press("gg");
        },
    ),
    (
        "`v` lists the rules that do not apply here as well (inside of the selection, rules are looked for that take no \
         arguments, or such as some set gives them), and `i` shows the rule as it is written and says why: how far it matched, and \
         where it stopped.",
        |tour| {
            tour.press("1Jl3").sees(&["best first"]).press("v/removeTr").sees(&["✗ here"]);
            tour.press("\t").press("i").sees(&[
                "rule removeTransposePair = ",
                "does not apply here",
                "The match stops at",
            ]);
            tour.esc().esc().press("v1gg").sees(&["all : "]);
        },
    ),
    (
        "**Run a strategy.** Press `a` and type `topDown(reduceMapFusion)`, or a name from `matmul.elevate` beside the \
         program, such as `blocking(16, 8, 4)`;",
        |tour| {
            tour.press("a").sees(&["Strategy on the whole program"]).press("topDown(reduceMapFusion)\r");
            tour.sees(&["Revision 3: topDown(reduceMapFusion)", "rev 3/3"]).press("u").sees(&["rev 0/3"]);
            tour.press("a")
                .press("blocking(16, 8, 4)\r")
                .sees(&["Revision 4: blocking(16, 8, 4)", "rev 4/4"]);
            tour.sees(&["m/16"]).press("u").sees(&["rev 0/4"]);
        },
    ),
    ("`Tab` completes names.", |tour| {
        tour.press("a").sees(&["Strategy on"]).press("cacheB").sees(&["arrayPacking with the summing"]);
        tour.press("\t").sees(&["│cacheBlocks"]).press("\x15").leaves(&["│cacheBlocks"]);
        tour.esc().leaves(&["Strategy on"]);
    }),
    ("It runs on the selection, or on the whole program after `Ctrl-t`: the prompt says which.", |tour| {
        tour.press("J").leaves(&["all : "]).press("a").sees(&["Strategy on the selection map (0.0)"]);
        tour.press("\x14")
            .sees(&["Strategy on the whole program"])
            .press("\x14")
            .sees(&["on the selection map (0.0)"]);
        tour.press("topDown(reduceMapFusion)\r").sees(&["Revision 5: topDown(reduceMapFusion) at 0.0"]);
        tour.press("u").sees(&["rev 0/5"]).press("K").sees(&["all : "]);
    }),
    (
        "`t` walks through a strategy rewrite by rewrite, each shown as a diff: `t` takes it, `N` goes back, `T` takes \
         all that are left.",
        |tour| {
            tour.press("t").sees(&["Step through which strategy, on the whole program"]);
            tour.press("blocking(16, 8, 4)\r").sees(&[
                "step 1 of",
                "reduceMapFusion at ",
                ": blocking(16, 8, 4)",
                "+ λa b.",
            ]);
            tour.sees(&["rev 0/5"]).press("t").sees(&["step 2 of", "rev 6/6"]);
            tour.press("N").sees(&["step 1 of", "rev 0/6"]).press("t").sees(&["step 2 of", "rev 6/6"]);
            tour.press("T").sees(&["`blocking(16, 8, 4)` is done"]).leaves(&["step 2 of"]);
            tour.esc().press("7gg\r1gg").sees(&["rev 0/", "all : "]);
        },
    ),
    (
        "Change `matmul.elevate` meanwhile (`e`), press `R`, and `t` goes on where the new strategy parts from the old \
         one.",
        |tour| {
            let file = tour.file("kernels/matmul/matmul.elevate");
            let text = std::fs::read_to_string(&file).unwrap();
            let write =
                |body: &str| std::fs::write(&file, format!("{text}\nstrategy mine = {body}\n")).unwrap();
            write("topDown(reduceMapFusion) ; topDown(useMapSeq)");
            tour.sees(&["file changed, R reloads"]).press("R").sees(&["hold from now on"]);
            tour.press("t").sees(&["Step through"]).press("mine\r").sees(&["step 1 of 2, ", ": mine"]);
            tour.press("t").sees(&["step 2 of 2, useMapSeq at ", ": mine"]).esc().leaves(&["step 2 of 2"]);
            // The editor is a program that writes another second step into the file that it is given.
            tour.press("e").sees(&["Edit which file?"]).press("elevate\r");
            tour.sees(&["file changed, R reloads"]).press("R").sees(&["hold from now on"]);
            tour.press("t")
                .sees(&["step 2 of 2, useMapPar at ", ": mine"])
                .press("t")
                .sees(&["`mine` is done"]);
            tour.esc();
        },
    ),
    ("`7`, `g g` and `Enter` lead back to the program as it was written.", |tour| {
        tour.press("7gg\r").sees(&["rev 0/", "all : "]);
    }),
    ("**Search.** Press `:` and type `reach baseline using baselineRules`.", |tour| {
        tour.press(":").sees(&["Command or strategy"]).press("reach baseline using baselineRules\r");
        tour.sees(&["shows how."]);
    }),
    (
        "The search pane (`4`) shows the e-graph as it grows and which parts of the sketch are met where;",
        |tour| {
            tour.press("4").sees(&["[4 Search]", "Found: revision", "nodes", "classes", "✓ the whole term"]);
        },
    ),
    ("`Ctrl-c` stops it at any moment, and `p` shows what it found rewrite by rewrite.", |tour| {
        tour.press("p").sees(&[": step 1 of ", "t next"]).press("n").sees(&[": step 2 of "]).esc();
        tour.leaves(&[": step 2 of "]).press("S").sees(&["Search on the whole program"]);
        // No program is like this one, and there is no end of programs to look at.
        tour.press("\x15reach contains(mapGlobal) using splitRules ");
        tour.press("with (dims: 12, size: 1000, nodes: 10000000, iterations: 100)\r");
        tour.sees(&["no rule here makes it", "Enter once more"]).press("\r");
        tour.sees(&["iteration 1"]).press("\x03").sees(&["was stopped"]).leaves(&["Stopping"]);
    }),
    (
        "From the program as it was written (`7`, `g g`, `Enter`), `searchBlocking` is a strategy of two guided searches.",
        |tour| {
            tour.press("7gg\r").sees(&["rev 0/", "all : "]);
            tour.press("a")
                .sees(&["Strategy on"])
                .press("searchBlocking\r")
                .sees(&["Found in", "shows how."]);
            tour.press("4").sees(&["containsMap(m/32", "in iteration"]).press("1");
        },
    ),
    (
        "`reach reorder1(16, 8, 4)` alone, with neither rules nor guides, finds both itself: it undoes the goal loop by loop until it is the program, and searches the way back.",
        |tour| {
            tour.press("7gg\r").sees(&["rev 0/", "all : "]);
            tour.press("S").sees(&["Search on"]).press("\x15reach reorder1(16, 8, 4)\r");
            tour.sees(&["Found in", "shows how."]).press("1");
        },
    ),
    (
        "**Measure.** `5` shows the code, `[` and `]` the stages on the way to it, `o` switches between C and OpenCL.",
        |tour| {
            tour.press("5").sees(&["[c]", "void matmul("]);
            tour.press("[").sees(&["[hoistMemory]"]).press("]").sees(&["[c]"]);
            tour.press("o").sees(&["[opencl]", "runs on ("]).press("o").sees(&["[c]"]);
        },
    ),
    ("The lines that come from the selection are marked in it, and what they are stands above.", |tour| {
        tour.press("1gg").sees(&["all : "]).press("2ggj\r").leaves(&["all : "]);
        tour.sees(&["The selection is lines ", "loops i"]);
    }),
    ("Headers and helpers that no part of the program asks for are one line, which `Space` opens.", |tour| {
        tour.press("5]]").sees(&["[host]", "lines: host_next, host_memory", "Space open/close"]);
        tour.press("gg")
            .sees(&["▸ 4 lines: stdbool.h, "])
            .press("jjj ")
            .sees(&["#include <stdbool.h>"])
            .press(" ")
            .sees(&["▸ 4 lines: stdbool.h, "]);
        tour.leaves(&["#include <stdbool.h>"]);
        tour.press("[[").sees(&["[c]"]);
    }),
    ("`Enter` on a line selects what it comes from.", |tour| {
        tour.press("5").sees(&["Enter select"]).press("gg\r").sees(&["comes from no part of the term"]);
        tour.press("/").sees(&["┌ Find"]).press("+=\r").sees(&["add: "]);
        tour.press("\r").sees(&["Part 1 of ", " : f32"]).press("\r").sees(&["Part 2 of "]);
    }),
    ("`b` compiles, checks and measures it on the device that `D` chooses;", |tour| {
        tour.press("D").sees(&["Measure on which device?", "cpu"]).press("cpu\r").sees(&["Measuring on cpu"]);
        tour.press("b").sees(&["on cpu, checked:"]);
    }),
    ("`6` shows the median, its interval, GFLOP/s and GB/s.", |tour| {
        tour.press("6").sees(&["[6 Bench]", "median", "interval", "GFLOP/s", "GB/s"]);
    }),
    (
        "`M` goes to the fastest state that was measured so, and shows the way there with its prices.",
        |tour| {
            tour.press("M")
                .sees(&["is the only one that was measured on cpu at m=64", "The way to revision"]);
            tour.esc().leaves(&["The way to revision"]);
        },
    ),
    (
        "From the program as it was written (`7`, `g g`, `Enter`), `:tune 60s blocking(?, ?, 4)` chooses what a strategy leaves open by measuring, with a chart of the best so far;",
        |tour| {
            tour.press("7gg\r").sees(&["rev 0/"]);
            tour.press(":tune 60s blocking(?, ?, 4)\r").sees(&[
                "best so far",
                "█",
                "ends it with the best so far",
            ]);
        },
    ),
    ("`Ctrl-c` ends it at any moment with that, and tells what was tried and why it lost.", |tour| {
        tour.press("\x03").sees(&["┌ Tuned", "until it was stopped", "best      blocking("]);
        tour.esc().leaves(&["┌ Tuned"]);
    }),
    ("**Keep it.** The session is on disk already.", |tour| {
        assert_eq!(tour.terminal.session_logs(), 1);
    }),
    (
        "`:save matmul.ron` gives it a name, and `shine-tui replay matmul.ron` says whether it still holds: exit code 0 \
         when all agrees, 1 at the first difference, 2 for bad input, 3 when a device is missing.",
        |tour| {
            tour.press(":")
                .sees(&["Command or strategy"])
                .press("save matmul.ron\r")
                .sees(&["saved in matmul.ron"]);
            assert!(tour.file("matmul.ron").is_file());
            tour.press("q");
            assert_eq!(tour.terminal.end(), 0);
            let replay = |file: &Path, more: &[&str]| {
                let mut command = Command::new(BINARY);
                command.arg("replay").arg(file).args(more).current_dir(tour.terminal.folder.path());
                command.output().unwrap().status.code()
            };
            let file = tour.file("matmul.ron");
            assert_eq!(replay(&file, &[]), Some(0));
            assert_eq!(replay(&file, &["--level", "results", "--device", "no such device"]), Some(3));
            // What differs first has tests of its own: a record that was changed is refused at once.
            let text = std::fs::read_to_string(&file).unwrap();
            let another = tour.file("another.ron");
            std::fs::write(&another, text.replacen("reduceMapFusion", "useMapSeq", 1)).unwrap();
            assert_eq!(replay(&another, &[]), Some(2));
            std::fs::write(&another, "no session").unwrap();
            assert_eq!(replay(&another, &[]), Some(2));
        },
    ),
    ("`--bless` accepts what differs, `--repair` searches for another way to each old state.", |tour| {
        for how in ["--bless", "--repair"] {
            let mut command = Command::new(BINARY);
            command.args(["replay", how]).arg(tour.file("matmul.ron"));
            let ran = command.current_dir(tour.terminal.folder.path()).output().unwrap();
            let said = String::from_utf8_lossy(&ran.stdout).into_owned();
            assert!(ran.status.success() && said.contains("agrees; nothing is written"), "{said}");
        }
    }),
    (
        "A program with an error opens too: the screen shows its problems and its text, and becomes the assistant as \
         soon as the file is saved without any.",
        |tour| {
            *tour = open(folder(), "broken.rise", |folder| {
                let text = "def f (a: n.f32): n.f32 = a |> mpa (\\x. x + 1)\n";
                std::fs::write(folder.join("broken.rise"), text).unwrap();
            });
            tour.sees(&["There is no `mpa`", "✗ 1  def f", "The assistant opens"]);
            let text = "def f (a: n.f32): n.f32 = a |> map (\\x. x +)\n";
            std::fs::write(tour.file("broken.rise"), text).unwrap();
            tour.sees(&["Expected an expression, found `)`"]);
            std::fs::write(tour.file("broken.rise"), "def f (a: n.f32): n.f32 = a |> map (\\x. x + 1)\n")
                .unwrap();
            tour.sees(&["1 Term", "map (λx. x + 1.0)"]).press("q");
            assert_eq!(tour.terminal.end(), 0);
        },
    ),
    ("Rules and strategies with errors are shown likewise;", |tour| {
        *tour = open(folder(), "kernels/dot/dot.rise", |folder| {
            let rules = folder.join("kernels/dot/dot.rules");
            std::fs::write(rules, "rule wrong = map f (map g x) ~> map h x\nrule right = id x ~> x\n")
                .unwrap();
        });
        tour.sees(&["dot.rules: problem 1 of", "✗ 1  rule wrong"]);
    }),
    ("all others can be used meanwhile.", |tour| {
        tour.esc()
            .leaves(&["problem 1 of"])
            .press("a")
            .press("topDown(reduceMapFusion)\r")
            .sees(&["rev 1/1"]);
        tour.press(":").press("apply right\r").sees(&["`right` does not apply"]).esc().press("q");
        assert_eq!(tour.terminal.end(), 0);
    }),
];

/// Opens a program in a folder that is prepared first.
fn open(folder: tempfile::TempDir, program: &str, prepare: fn(&Path)) -> Tour {
    prepare(folder.path());
    let editor = folder.path().join("editor");
    std::fs::write(&editor, "#!/bin/sh\nsed -i 's/; topDown(useMapSeq)/; topDown(useMapPar)/' \"$1\"\n")
        .unwrap();
    let editor = format!("sh {}", editor.display());
    let terminal = Terminal::run_in(folder, &[BINARY, program], 120, 40, &[("EDITOR", &editor)]);
    Tour { terminal }
}

#[test]
fn the_tour_is_true_sentence_by_sentence() {
    let said = sentences(section(CHAPTER, "On the screen"));
    let told: Vec<&str> = TOUR.iter().map(|(sentence, _)| *sentence).collect();
    assert_eq!(said, told, "each sentence of the tour has its step here");
    let text = section(README, "A tour of five minutes");
    assert_eq!(commands(text), ["shine-tui kernels/matmul/matmul.rise"]);
    let mut steps = told.iter();
    for sentence in sentences(text) {
        assert!(
            steps.any(|step| **step == sentence),
            "not in the book's tour, or not in its order: {sentence}"
        );
    }
    let mut tour = open(folder(), "kernels/matmul/matmul.rise", |_| {});
    for (sentence, prove) in TOUR {
        println!("{sentence}");
        prove(&mut tour);
    }
}

/// The README's commands without a screen do what they say: a test of the book's, as this waits and so does the tour.
pub fn the_commands_without_a_screen() {
    let folder = folder();
    let path =
        format!("{}:{}", Path::new(BINARY).parent().unwrap().display(), std::env::var("PATH").unwrap());
    let run = |command: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(folder.path()).env("PATH", &path);
        shell.env("SHINE_STATE_DIR", folder.path().join("state"));
        shell.env("SHINE_CONFIG_DIR", folder.path().join("config"));
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let expected: &[(&str, &[&str])] = &[
        ("shine-tui compile kernels/dot/dot.rise --strategy lowerDot --emit c", &["void dot(", "+="]),
        ("shine-tui compile kernels/matmul/matmul.rise -o out --size m=64 --size n=64 --size k=64", &["out"]),
        (
            "shine-tui apply kernels/dot/dot.rise --strategy 'topDown(reduceMapFusion)' --steps",
            &["reduceMapFusion at", "reduceSeq"],
        ),
        ("shine-tui bench kernels/matmul/matmul.rise --device cpu --json", &["\"median_ns\"", "\"device\""]),
        (
            "shine-tui tune kernels/matmul/matmul.rise --size m=256 --size n=256 --size k=256 -s 'parallel(?, ?, ?, ?v in {4, 8, 16})' --for 10s -o best.elevate",
            &["points, of which", "best      parallel(", "(start)"],
        ),
        (
            "shine-tui run kernels/harris/harris.rise --input rgb=assets/pictures/house.png --output corners.png",
            &["n=60 m=92", "with plain C", "written   corners.png"],
        ),
        ("shine-tui line kernels/dot/dot.rise", &["dot"]),
        ("shine-tui export kernels/dot/dot.rise -s auto --html dot.html --folder dot", &["dot.html"]),
        ("shine-tui replay sessions/*.ron --junit report.xml", &["dot.ron"]),
        (
            "shine-tui search kernels/matmul/matmul.rise 'searchBlocking(16, 8, 4)' --best 3",
            &["Found a program of size", "splitLoops(16, 8, 4)"],
        ),
    ];
    let told: Vec<&str> = expected.iter().map(|(command, _)| *command).collect();
    assert_eq!(commands(section(README, "Without a screen")), told, "each command has its line here");
    // Of the book, which runs them too, where it shows little of what they print.
    let of_the_book: &[(&str, &[&str])] = &[
        (
            "shine-tui compile kernels/dot/dot.rise --explain-lines",
            &[
                "for (int i0 = 0; i0 < 4096; i0++) {  // reduce at 0.0: zip a b |> map",
                "// add at 0.0.0.0.1, map at 0.0.1, mul at",
            ],
        ),
        (
            "shine-tui bench kernels/gemv/gemv.rise -s auto --against kernels/gemv/gemv.rise --size m=512 --size n=512",
            &["first ", "second "],
        ),
        ("shine-tui devices", &["cpu"]),
        ("shine-tui doctor", &["cpu", "terminal"]),
        ("shine-tui sessions", &[]),
        ("shine-tui rules splitJoin", &["splitJoin", "join (map (map f) (split p"]),
        ("shine-tui strategies tile", &["strategy tile(x, y) = ", "Tiles two nested maps"]),
        (
            "shine-tui unguided --encoding extraction-indices --encoding typed",
            &["reduction", "fission", "binomial", "De Bruijn", "typed"],
        ),
    ];
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").read_dir().unwrap();
    let chapters = book.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let book: String = chapters.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    for (command, _) in of_the_book {
        assert!(book.contains(command), "{command} is in no chapter");
    }
    for (command, texts) in expected.iter().chain(of_the_book) {
        let output = run(command);
        for text in *texts {
            assert!(output.contains(text), "{command} says nothing of {text}:\n{output}");
        }
        let subcommand = command.split_whitespace().nth(1).unwrap();
        assert!(run(&format!("shine-tui {subcommand} --help")).contains("Usage"));
    }
    let guides = "shine-tui search kernels/matmul/matmul.rise 'reach reorder1(16, 8, 4)' --guides";
    let guided = run(guides);
    assert!(guided.contains("sketch ") && guided.contains(" using "), "{guided}");
    for written in ["best.elevate", "dot.html", "dot/Makefile", "report.xml"] {
        assert!(folder.path().join(written).exists(), "{written}");
    }
    assert!(folder.path().join("out").read_dir().unwrap().count() >= 2, "a kernel and its host");
    let errors = section(COMMANDS, "Errors and limits");
    for code in ["E0110", "E0003"] {
        assert!(errors.contains(&format!("`shine-tui explain {code}`")));
        assert!(run(&format!("shine-tui explain {code}")).contains(code));
    }
    let limits = run("shine-tui explain E0003");
    assert!(errors.contains("4 MiB and 400 levels") && limits.contains("4 MiB") && limits.contains("400"));
    assert!(errors.contains("256 MiB") && limits.contains("256 MiB"));
    assert!(errors.contains("`:explain E0110` does on the screen"));
    let mut tour = open(self::folder(), "kernels/dot/dot.rise", |_| {});
    tour.sees(&["? help"]).press(":explain E0110\r").sees(&["│E0110"]).esc().press("q");
    assert_eq!(tour.terminal.end(), 0);
}
