//! The command line: what can be typed, and the help for it.

use super::unguided::methods::Method;
use crate::rewrite::encodings::Encoding;
use crate::rewrite::search::options::MOST_BEST;
use crate::session::data::Given;
use crate::ui::recording::Size;
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

const AFTER_HELP: &str = "\
Examples:
  shine-tui matmul.rise                              open the assistant on a program
  shine-tui session.ron                              go on with a saved session
  shine-tui compile dot.rise --emit imperative       print a stage of compilation
  shine-tui compile matmul.rise -o out --size m=64 --size n=64 --size k=64
  shine-tui apply dot.rise --strategy 'topDown(reduceMapFusion)'
  shine-tui bench matmul.rise --device cpu
  shine-tui tune matmul.rise --strategy 'blocking(?, ?, ?)' --for 60s
  shine-tui bench session.ron --against 3            where the session ends and revision 3, in turns
  shine-tui run blur.rise --input image=photo.png --output blurred.png
  shine-tui line matmul.rise                         the assistant as plain text
  shine-tui rules check own.rules                    test rewrite rules of your own
  shine-tui replay sessions/*.ron                    check that recorded sessions still hold
  shine-tui explain E0110                            what an error means, with an example

Exit codes:
  0  done; a replay agrees
  1  a finding: a replay disagrees, a check failed, a strategy or a search did not get there
  2  bad usage or unreadable input
  3  the environment: no device for this, no compiler, a driver failure, a full disk";

/// An interactive optimisation assistant for RISE array programs.
///
/// Opens PROGRAM.rise, or the session that was saved in SESSION.ron, on the screen. Without a terminal use the
/// subcommands: they do everything the screen does.
#[derive(Parser, Debug)]
#[command(name = "shine-tui", version, after_help = AFTER_HELP, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub screen: Screen,
    /// Compile and run kernels where this command leads, which ends in `shine-tui worker`: 'ssh node shine-tui worker'
    #[arg(long, global = true, value_name = "COMMAND")]
    pub worker: Option<String>,
}

#[derive(Args, Debug)]
pub struct Screen {
    /// A RISE program (.rise) or a saved session (.ron)
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub program: ProgramOptions,
    /// What `:data` runs the program on, from files, unless other files are named there; may be given several times
    #[arg(long = "input", short = 'i', value_name = "NAME=FILE", value_parser = Given::read)]
    pub inputs: Vec<Given>,
    /// Record the session in this file instead of the state folder; of a session that is opened all of it, and its own file
    /// stays as it is
    #[arg(long, value_name = "FILE")]
    pub session: Option<PathBuf>,
    /// How many colours to use
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub color: ColorChoice,
    /// Use no characters outside ASCII
    #[arg(long)]
    pub ascii: bool,
    /// The theme: default, high-contrast, mono, or a name from the configuration folder
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// Write how long each key took to reach the screen to a file when the program ends
    #[arg(long, value_name = "FILE", hide = true)]
    pub frame_stats: Option<PathBuf>,
}

const LINE_HELP: &str = "\
Each line is a command of the assistant as it is typed there after `:`, or a strategy. `help` lists the commands; `term`, `loops`, `rules`, `kernel`, `bench-pane`, `history` and `jobs` print what the screen shows there. A number highlights a line of the list that was printed last, and `open` does with it what Enter does. What runs is waited for; `cancel` stops it.

Examples:
  shine-tui line dot.rise
  printf 'rules\\n1\\nopen\\n1\\nkernel\\n' | shine-tui line dot.rise

Exit codes:
  0  done
  1  a line was refused or failed, and the lines do not come from a terminal
  2  the program or the session cannot be read
  3  what was done cannot be written to the disk";

/// The assistant as plain text.
#[derive(Args, Debug)]
pub struct Line {
    #[command(flatten)]
    pub screen: Screen,
    /// How many columns a line has at most, where it can be broken, from 50 to 1000
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u16).range(50..=1000))]
    pub columns: u16,
}

const EXPORT_HELP: &str = "\
Examples:
  shine-tui export session.ron --html session.html   a page that needs neither tool nor network
  shine-tui export session.ron --html session.html --roofline   how near its states come to the roof
  shine-tui export matmul.rise -s parallel --folder out --size m=64 --size n=64 --size k=64
  shine-tui export session.ron --recording session.svg   what the screen shows, action by action

What the screen knows beside the session, such as the best programs of a search, is on the page that `:export FILE` writes there.
The folder has the generated code with its Makefile, the program, and the strategy that leads to it with the rules and strategies that are not built in: `strategy.elevate` begins with the command that runs it.
The recording is a picture for web pages that moves by itself and needs nothing else. It shows what the session holds and runs nothing; of more than 60 actions the last 60.";

#[derive(Args, Debug)]
#[command(group = ArgGroup::new("what").args(["html", "folder", "recording"]).required(true).multiple(true))]
pub struct Export {
    #[command(flatten)]
    pub rewriting: Rewriting,
    /// Write a page of HTML to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the sources to this folder
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Write to this file, as SVG, what the screen shows after each action of a saved session
    #[arg(long, value_name = "FILE", conflicts_with_all = ["strategies", "sizes"])]
    pub recording: Option<PathBuf>,
    /// Columns and rows of the screen that is recorded, from 50x15 to 240x80
    #[arg(long, value_name = "COLUMNSxROWS", requires = "recording", default_value_t)]
    pub screen: Size,
    /// The colours of the recording: a built-in theme or one of yours
    #[arg(long, value_name = "NAME", requires = "recording")]
    pub theme: Option<String>,
    /// The language of the code: c or opencl; what suits the program unless given
    #[arg(long, value_name = "TARGET")]
    pub target: Option<String>,
    /// Measure what the devices allow on which states were measured, and draw on the page how near to that they come
    #[arg(long, requires = "html")]
    pub roofline: bool,
    /// Replace a page or a recording that is there already, and files that were not generated or were changed after that
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ColorChoice {
    Auto,
    Never,
    #[value(name = "16")]
    Sixteen,
    #[value(name = "256")]
    TwoHundredFiftySix,
    True,
}

/// Which program, with which sizes and rules.
#[derive(Args, Clone, Default, Debug)]
pub struct ProgramOptions {
    /// The definition to take as the program; the last one of the file unless given
    #[arg(long, value_name = "NAME")]
    pub def: Option<String>,
    /// The value of a size, such as m=1024, or of several that are alike, as in m=n=1024; may be given several times
    #[arg(long = "size", value_name = "NAME=VALUE", value_parser = parse_size)]
    pub sizes: Vec<(Vec<String>, i64)>,
    /// A folder with more .rules and .elevate files; may be given several times
    #[arg(long = "rules", value_name = "DIR")]
    pub rules: Vec<PathBuf>,
}

fn parse_size(text: &str) -> Result<(Vec<String>, i64), String> {
    let (names, value) = text.rsplit_once('=').ok_or("A size is given as NAME=VALUE, such as m=1024.")?;
    let value: i64 =
        value.parse().map_err(|_| match value.chars().all(|c| c.is_ascii_digit()) && !value.is_empty() {
            true => format!("`{value}` is too large for a size."),
            false => match computed(value) {
                Some(number) => format!("`{value}` is not a whole number: write {number}."),
                None => format!("`{value}` is not a whole number."),
            },
        })?;
    if value < 1 {
        return Err("A size is at least 1.".into());
    }
    let names: Vec<String> = names.split('=').map(str::to_owned).collect();
    if names.iter().any(String::is_empty) {
        return Err("The name of a size stands before `=`, as in m=1024.".into());
    }
    Ok((names, value))
}

/// The whole number that `2^20` or `1e6` stands for.
fn computed(text: &str) -> Option<i64> {
    if let Some((base, exponent)) = text.split_once('^') {
        return base.parse::<i64>().ok()?.checked_pow(exponent.parse().ok()?);
    }
    let number = text.parse::<f64>().ok().filter(|v| v.fract() == 0.0 && (1.0..9e15).contains(v))?;
    Some(number as i64)
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Open the assistant as plain text, line by line: for screen readers, simple terminals, editors and scripts
    #[command(after_help = LINE_HELP)]
    Line(Line),
    /// Replay saved sessions and compare with what they recorded
    Replay(Replay),
    /// Generate code, or print any stage on the way
    Compile(Compile),
    /// Apply a rule or a strategy and print the rewritten program
    Apply(Apply),
    /// Search by equality saturation, and tell all that the search knows: the best programs, what is missing, each rule's part
    #[command(after_help = SEARCH_HELP)]
    Search(Search),
    /// Search without guides in several encodings of lambda terms, as a table of what that takes
    #[command(after_help = UNGUIDED_HELP)]
    Unguided(Unguided),
    /// Run on arrays and pictures from files, check the result, and print or write it
    Run(Run),
    /// Compile, check and measure on a device
    Bench(Bench),
    /// Choose what a strategy leaves open by measuring on a device: sizes of tiles and vectors, alternatives
    #[command(after_help = TUNE_HELP)]
    Tune(Tune),
    /// List the sessions that were recorded on this machine
    Sessions(Sessions),
    /// Write a session as one page that needs nothing else, as sources that build without this tool, or as a picture that plays it
    #[command(after_help = EXPORT_HELP)]
    Export(Export),
    /// Look whether all is there that this tool works with, and say what to install
    Doctor(Json),
    /// List the devices that kernels can run on
    Devices(Json),
    /// Compile and run a kernel for a shine-tui on another machine, which starts this by its `--worker`
    Worker,
    /// List the rewrite rules, show one, or test your own: `rules check`, `rules lint`
    Rules(Rules),
    /// List the strategies and sketches, or show one
    Strategies(Strategies),
    /// List the patterns of the language, or show one
    Patterns(Patterns),
    /// Put programs, rules and strategies into the standard layout, in place
    Fmt(Fmt),
    /// Explain the code of an error, or list all codes
    Explain(Explain),
    /// Print a shell's completions
    Completions { shell: clap_complete::Shell },
    /// Print the manual page, or write one for each subcommand into a folder
    Man {
        /// The folder, such as ~/.local/share/man/man1
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

#[derive(Args, Debug)]
pub struct Json {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct Sessions {
    /// Also those in which nothing was done
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Args, Debug)]
pub struct Replay {
    /// Write a report in the form of JUnit to this file
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Replace what is there in the place of the report, if it is no report of an earlier replay
    #[arg(long, requires = "junit")]
    pub force: bool,
    /// Session files
    #[arg(required = true, value_name = "SESSION.ron")]
    pub files: Vec<PathBuf>,
    /// What to compare
    #[arg(long, value_enum, default_value_t = LevelChoice::Kernels)]
    pub level: LevelChoice,
    /// How to take searches again
    #[arg(long, value_enum, default_value_t = SearchChoice::Trail)]
    pub search: SearchChoice,
    /// Measure and check on this device instead of the recorded one
    #[arg(long, value_name = "SUBSTRING")]
    pub device: Option<String>,
    /// Let the foreign functions of the recorded programs run
    #[arg(long)]
    pub allow_foreign: bool,
    /// Replay with the program, its rules and strategies as their files are now, instead of as the session holds them; with
    /// `--bless` the session takes them up
    #[arg(long = "files")]
    pub with_files: bool,
    /// Accept what the actions lead to today: show how it differs, and write the session anew in its place
    #[arg(long, conflicts_with_all = ["junit", "json"])]
    pub bless: bool,
    /// Where an action no longer leads to its state, search for a way there, and write SESSION.repaired.ron beside
    #[arg(long, conflicts_with_all = ["junit", "json", "bless"])]
    pub repair: bool,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LevelChoice {
    /// The term after each action
    Terms,
    /// Terms and generated kernels
    Kernels,
    /// And each measured kernel's output against the reference
    Results,
    /// And measure again; times are reported, never judged
    Performance,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SearchChoice {
    /// By the recorded rule applications, without an e-graph, where there are any; else exactly
    Trail,
    /// The same search again, stopped where it stopped
    Exact,
    /// Search again until the sketch holds
    Free,
}

/// A program with what is to be done to it first.
#[derive(Args, Clone, Debug)]
pub struct Rewriting {
    /// The program (.rise), or a session (.ron), which is taken in the state at which it ends
    pub file: PathBuf,
    #[command(flatten)]
    pub program: ProgramOptions,
    /// A strategy to run first, by name or as ELEVATE text; may be given several times
    #[arg(long = "strategy", short = 's', value_name = "ELEVATE")]
    pub strategies: Vec<String>,
}

#[derive(Args, Debug)]
pub struct Compile {
    #[command(flatten)]
    pub rewriting: Rewriting,
    /// The language to generate: c or opencl; chosen by the program's patterns unless given
    #[arg(long, value_name = "LANGUAGE")]
    pub target: Option<String>,
    /// The stage to print: rise, loops, access, dpia, imperative, a pass, c, header, python, opencl, reasons, library or host
    #[arg(long, value_name = "STAGE")]
    pub emit: Option<String>,
    /// For OpenCL: say what each barrier is for, and why each buffer is where it is; as --emit reasons
    #[arg(long, conflicts_with_all = ["emit", "output"])]
    pub explain_barriers: bool,
    /// Say behind each line of the code, or of a stage of DPIA or a library, which part of the program it comes from
    #[arg(long, conflicts_with_all = ["output", "explain_barriers"])]
    pub explain_lines: bool,
    /// Write the kernel into this folder, with a header, a program that calls it and a module of Python; for OpenCL, a
    /// library in C
    #[arg(long, short = 'o', value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace files that were not generated, or were changed after that
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Record the session in this file; for a session, its own file to go on with it, or a new one, which gets all of it
    #[arg(long, value_name = "FILE")]
    pub session: Option<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Args, Debug)]
pub struct Apply {
    #[command(flatten)]
    pub rewriting: Rewriting,
    /// The rule to apply, such as `splitJoin(32)`, after the strategies
    #[arg(id = "rule", long = "rule", short = 'r', value_name = "RULE")]
    pub apply: Vec<String>,
    /// Where to apply: a position such as `0.1.1`, children counted from 0; the whole program unless given
    #[arg(long, value_name = "POSITION")]
    pub at: Option<String>,
    /// Show every single rewrite as a diff
    #[arg(long)]
    pub steps: bool,
    /// Record the session in this file; for a session, its own file to go on with it, or a new one, which gets all of it
    #[arg(long, value_name = "FILE")]
    pub session: Option<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

const SEARCH_HELP: &str = "\
Examples:
  shine-tui search matmul.rise 'reach baseline using baselineRules'
  shine-tui search matmul.rise 'searchBlocking(16, 8, 4)' --best 10
  shine-tui search dot.rise 'reach contains(mapPar) using lowerRules(8) with (nodes: 50000)' --json
  shine-tui search matmul.rise searchParallel --elevate > found.elevate
  shine-tui search matmul.rise 'reach reorder2(16, 8, 4)' --guides > guided.elevate

Without `using` the search chooses its rules from all that there are, and makes sketches between the program and the goal, its guides: loops are split, then exchanged, one at a time; then what is stored is stored, and what is computed with vectors is vectorised. Sizes of tiles and vectors are read from the sketch; where it has holes, as in `containsMap(m/?t, containsMap(?t, ?))`, sizes are tried for them. `… and ?t >= 8 and ?t % 4 == 0` says what they must be. Each guide is shown like a search of its own.

For each part of the sketch stands in how many classes of equal terms there is one like it, where in the program, and the smallest; where nothing was found, the program that comes nearest, as a term and as loops. `way` marks the rules that lead to what was found.

Exit codes:
  0  found
  1  not found
  2  the program or the search cannot be read";

#[derive(Args, Debug)]
pub struct Search {
    #[command(flatten)]
    pub rewriting: Rewriting,
    /// What to search: `reach SKETCH using RULES`, `reach SKETCH`, or a strategy that searches
    #[arg(value_name = "SEARCH")]
    pub search: String,
    /// Search until so many programs satisfy the sketch, and show the lightest, no two the same up to names
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = parse_best)]
    pub best: usize,
    /// Print the rewrites that lead there as a strategy, which needs no search
    #[arg(long, conflicts_with = "json")]
    pub elevate: bool,
    /// Print the sketches and rules that a search without `using` chose, as a strategy of searches
    #[arg(long, conflicts_with_all = ["json", "elevate"])]
    pub guides: bool,
    #[command(flatten)]
    pub json: Json,
}

/// How many programs may be asked for.
fn parse_best(text: &str) -> Result<usize, String> {
    let n = text.parse().ok().filter(|n| (1..=MOST_BEST).contains(n));
    n.ok_or_else(|| format!("Ask for 1 to {MOST_BEST} programs."))
}

const UNGUIDED_HELP: &str = "\
Examples:
  shine-tui unguided                                   the thesis's table of encodings (section 5.5)
  shine-tui unguided matmul --goal blocking --for 60   a row of its table of searches without guides
  shine-tui unguided guides --method derived           the same goals with guides that are derived
  shine-tui unguided blur.rise 'reach contains(mapSeq) using { useMapSeq, mapFusion }'

Each search runs in a process of its own. Its memory is the most that this process held, and what --memory limits; searches with guides keep their own bounds. `rules` counts the applications that made two classes of terms one.

Encodings:
  explicit-named      names; substitution is a node that rules carry out
  explicit-indices    De Bruijn indices; substitution by the rules of the lambda-s calculus
  extraction-named    names; substitution at once, on the smallest terms of classes
  extraction-indices  De Bruijn indices; substitution at once, on the smallest terms of classes
  typed               the e-graph of `search`: De Bruijn indices, extraction, types
All but the last have no types: rules and sketches that ask for them are refused there.

Exit codes:
  0  found by one at least
  1  found by none
  2  the program or the search cannot be read";

#[derive(Args, Debug)]
pub struct Unguided {
    /// A table, `encodings`, `matmul` or `guides`, or a program (.rise)
    #[arg(value_name = "TABLE|PROGRAM", default_value = "encodings")]
    pub what: String,
    /// For a program: what to search, `reach SKETCH using RULES`; of its options, time, memory, nodes and iterations are not heeded
    #[arg(value_name = "SEARCH")]
    pub search: Option<String>,
    #[command(flatten)]
    pub program: ProgramOptions,
    /// Only this goal of the table; may be given several times
    #[arg(long, value_name = "GOAL")]
    pub goal: Vec<String>,
    /// Only this encoding; may be given several times
    #[arg(long, value_enum)]
    pub encoding: Vec<EncodingChoice>,
    /// Of the table of guides: only those that are made so; may be given several times
    #[arg(long, value_enum)]
    pub method: Vec<Method>,
    /// How many seconds each search may take
    #[arg(long = "for", value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub seconds: u64,
    /// How many MiB of memory the process of each search may hold
    #[arg(long, value_name = "MIB", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub memory: u64,
    /// Run the one search in this process
    #[arg(long, hide = true)]
    pub alone: bool,
    #[command(flatten)]
    pub json: Json,
}

impl Unguided {
    /// How long each search may take.
    pub fn time(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// How much memory each may hold.
    pub fn bytes(&self) -> u64 {
        self.memory << 20
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum EncodingChoice {
    ExplicitNamed,
    ExplicitIndices,
    ExtractionNamed,
    ExtractionIndices,
    Typed,
}

impl EncodingChoice {
    /// The encoding; none for the tool's own e-graph.
    pub fn encoding(self) -> Option<Encoding> {
        let (explicit, named) = match self {
            EncodingChoice::ExplicitNamed => (true, true),
            EncodingChoice::ExplicitIndices => (true, false),
            EncodingChoice::ExtractionNamed => (false, true),
            EncodingChoice::ExtractionIndices => (false, false),
            EncodingChoice::Typed => return None,
        };
        Some(Encoding { named, explicit })
    }
}

impl std::fmt::Display for EncodingChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.encoding() {
            Some(encoding) => encoding.fmt(f),
            None => f.write_str("typed"),
        }
    }
}

const RUN_HELP: &str = "\
Files are read and written as their ending says:
  .npy             an array of NumPy, of any type that programs have
  .png .pgm .ppm   a picture: n.m.u8 is grey, n.m.3.u8 has colours, 3.n.m.u8 plane by
                   plane; u16 takes 16 bits, floats samples as numbers from 0 to 1
  .txt .csv        numbers, all separated by spaces, by commas or by semicolons; lines are rows
  .raw .bin        the cells alone, row by row, little-endian
A value of pairs has a file for each component: `--input points.fst=x.npy --input points.snd=y.npy`, `--output fst=x.npy`.
Sizes follow from the shapes of the inputs.

Examples:
  shine-tui run convolution.rise --input weights=w.npy --input image=photo.png --output blurred.png
  shine-tui run scal.rise --input alpha=2 --input x=x.txt
  shine-tui run matmul.rise --strategy parallel --input a=a.npy --input b=b.npy --output c.npy";

#[derive(Args, Debug)]
#[command(after_help = RUN_HELP)]
pub struct Run {
    #[command(flatten)]
    pub rewriting: Rewriting,
    #[command(flatten)]
    pub data: Data,
    /// Write the result to this file; for a result of pairs `COMPONENT=FILE`, once for each component
    #[arg(long = "output", short = 'o', value_name = "FILE")]
    pub outputs: Vec<String>,
    /// Replace output files that are there already
    #[arg(long)]
    pub force: bool,
    /// Do not compare the result with the program as it was written
    #[arg(long)]
    pub no_check: bool,
    /// The device: `cpu`, or a part of an OpenCL platform's or device's name; with flags and threads in brackets,
    /// `cpu[vectors512, 1 thread]`
    #[arg(long, value_name = "SUBSTRING", default_value = "cpu")]
    pub device: String,
    /// Let the program's foreign functions run
    #[arg(long)]
    pub allow_foreign: bool,
    #[command(flatten)]
    pub json: Json,
}

/// What a program runs on.
#[derive(Args, Debug)]
pub struct Data {
    /// What a parameter is: a file, or a number for a scalar; may be given several times
    #[arg(long = "input", short = 'i', value_name = "NAME=FILE", value_parser = Given::read)]
    pub inputs: Vec<Given>,
}

#[derive(Args, Debug)]
pub struct Bench {
    #[command(flatten)]
    pub rewriting: Rewriting,
    #[command(flatten)]
    pub data: Data,
    /// The device: `cpu`, or a part of an OpenCL platform's or device's name; with flags and threads in brackets,
    /// `cpu[vectors512, 1 thread]`
    #[arg(long, value_name = "SUBSTRING", default_value = "cpu")]
    pub device: String,
    /// Measure in turns with a revision of the session, or with another program, or another session at its end, and say
    /// which is faster
    #[arg(long, value_name = "REVISION|FILE", conflicts_with = "session")]
    pub against: Option<String>,
    /// With `--against`: measure at several values of a size, doubled as in `k=1024..65536` or listed as in `k=1000,5000`,
    /// or of several that are alike as in `m=n=k=256..2048`, and say where which one is faster
    #[arg(long, value_name = "NAME=SIZES", requires = "against", conflicts_with = "inputs")]
    pub sweep: Option<String>,
    /// Measure what the device allows as well, and say how near to that the program comes
    #[arg(long, conflicts_with = "against")]
    pub roofline: bool,
    /// With `--sweep`: write a function in C into this folder that chooses the faster one by the size, with the code of both
    #[arg(long, value_name = "FOLDER", requires = "sweep")]
    pub dispatch: Option<PathBuf>,
    /// Replace files that were not generated, or were changed after that
    #[arg(long, requires = "dispatch")]
    pub force: bool,
    /// Let the program's foreign functions run
    #[arg(long)]
    pub allow_foreign: bool,
    /// Record the session in this file; for a session, its own file to go on with it, or a new one, which gets all of it
    #[arg(long, value_name = "FILE", conflicts_with = "inputs")]
    pub session: Option<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

const TUNE_HELP: &str = "\
Examples:
  shine-tui tune matmul.rise
  shine-tui tune matmul.rise --strategy 'blocking(?, ?, ?)'
  shine-tui tune matmul.rise -s 'parallel(?x in {8, 16, 32}, 32, 8, ?v in {8, 16})' --for 2min
  shine-tui tune matmul.rise -s 'blocking(?t, ?t, 4) ; choose(topDown(useMapPar), id)'
  shine-tui tune matmul.rise -s 'blocking(?, ?, ?)' -o best.elevate
  shine-tui tune matmul.rise -s 'parallel(?, ?, ?, ?)' --device 'cpu[vectors512?, 1|2 threads]'

What a strategy leaves open: `?` a size that divides one of the program's sizes, `?tile` the same size wherever the name stands (and so is `?way`, once its strategies are written somewhere), `?tile in {4, 8, 16..32}` one of these, `choose(s, t)` or `?way in {s, t}` one of these strategies. Definitions of strategies may leave things open too; where nothing is tuned their first value holds, or what `s with (tile: 8)` says.

Points whose sizes do not fit, or that the device has no room for, are ruled out before anything is compiled for it. All others are run a few times, and their output is compared; who leads is checked as `bench` checks. The fastest take turns at the end, also with the start, which tells whether the difference can be measured, and with the program as it was before, which stays where it is faster. What makes no difference to the program is found out by the way, and not tried again and again. Without a strategy it is `auto` that is tuned, on a processor beside `bufferedPipeline` and `rotatedPipeline`. What an alternative leaves open counts where it is taken.

Flags of compilers and the number of threads are left open for the device: `--device 'cpu[vectors512?, unroll?, 1|2|4 threads]'` tries each flag with `?` with and without, and each number; `shine-tui devices` lists the flags. Those with a mark, as rules have it, may change results; none is tried that is not named.

Measurements are kept for later tunings, by kernel, sizes, device, compiler, threads and worker; what decides is always measured again. `--session FILE` records what was decided; `shine-tui replay` takes it without measuring.

Exit codes:
  0  tuned
  1  nothing could be measured
  2  the program or the strategy cannot be read, or leaves nothing open
  3  the environment: no such device, no compiler
130  interrupted; the best so far is printed (143 by SIGTERM, 129 by SIGHUP)";

#[derive(Args, Debug)]
pub struct Tune {
    /// The program (.rise), or a session (.ron), which is taken in the state at which it ends
    #[arg(required_unless_present_any = ["kept", "forget"])]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub program: ProgramOptions,
    /// A strategy that leaves something open; of several, one after the other
    #[arg(long = "strategy", short = 's', value_name = "ELEVATE")]
    pub strategies: Vec<String>,
    /// The device: `cpu`, or a part of an OpenCL platform's or device's name; with flags and threads in brackets,
    /// `cpu[vectors512, 1 thread]`
    #[arg(long, value_name = "SUBSTRING", default_value = "cpu")]
    pub device: String,
    /// How long it may take, such as 90s or 5min
    #[arg(long = "for", value_name = "TIME", default_value = "60s", value_parser = crate::session::tune::seconds, allow_hyphen_values = true)]
    pub time: f64,
    /// Write the best strategy into this file, as a definition with its values, or `id` where the state before is faster
    #[arg(long, short = 'o', value_name = "FILE.elevate")]
    pub output: Option<PathBuf>,
    /// Replace the file if it is there already
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Show all points that were tried, each with the time that it should take at least
    #[arg(long)]
    pub all: bool,
    /// Show how many measurements of earlier tunings are kept, and where
    #[arg(long, conflicts_with_all = ["file", "forget"])]
    pub kept: bool,
    /// Forget the measurements of earlier tunings
    #[arg(long, conflicts_with = "file")]
    pub forget: bool,
    /// Record the session in this file; for a session, its own file to go on with it, or a new one, which gets all of it
    #[arg(long, value_name = "FILE")]
    pub session: Option<PathBuf>,
    /// Let the program's foreign functions run
    #[arg(long)]
    pub allow_foreign: bool,
    #[command(flatten)]
    pub json: Json,
}

const RULES_HELP: &str = "\
Examples:
  shine-tui rules                          all rules, by theme, and the sets of them
  shine-tui rules splitJoin                one rule, with its examples
  shine-tui rules check own.rules          test the rules of a file against the interpreter
  shine-tui rules check harris.rise        the rules that come with a program
  shine-tui rules check own.rules tile     the rule `tile` alone
  shine-tui rules lint own.rules           duplicates, rules that undo each other, …

Without a file, `check` and `lint` take every rule there is. The rules' language is explained in rules/README.md.";

const CHECK_HELP: &str = "\
Each rule is applied to random well-typed instances of its left side, at several sizes and types, and both sides are \
evaluated on random inputs. A rule that changes a result is shown with the smallest instance, sizes and inputs that \
were found. A rule that no instance could be drawn for is `not tested`, with the reason; it is never said to hold, \
nor is one that was not tested enough when its time was over. \
The same seed tests the same instances. A rule whose sides are found equal at symbolic sizes is also `proved`.

Exit codes:
  0  every rule was tested and held
  1  a rule is wrong, could not be tested, or was not tested enough
  2  the rules cannot be read or are not well-typed
130  interrupted (143 by SIGTERM, 129 by SIGHUP)";

const LINT_HELP: &str = "\
Errors: a rule that does the same as another, an example that is not what its rule does.
Warnings: rules with one left side and different right sides, a rule that undoes another, a rule that applies to its \
own result, a variable that the right side loses, a rule without example or documentation.
Notes (with --notes): a rule that another covers, a rule that applies wherever another does.

Exit codes:
  0  no error
  1  an error
  2  the rules cannot be read or are not well-typed";

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_help = RULES_HELP)]
pub struct Rules {
    #[command(subcommand)]
    pub command: Option<RulesCommand>,
    #[command(flatten)]
    pub list: RulesList,
}

#[derive(Subcommand, Debug)]
pub enum RulesCommand {
    /// Test rules against the interpreter; a wrong one is shown with a small counterexample
    #[command(after_help = CHECK_HELP)]
    Check(RulesCheck),
    /// Look for duplicates, rules without end, missing examples and the like
    #[command(after_help = LINT_HELP)]
    Lint(RulesLint),
}

#[derive(Args, Debug)]
pub struct RulesList {
    /// The rule to show
    pub name: Option<String>,
    /// A program whose own rules are to be listed too
    #[arg(long, value_name = "PROGRAM.rise")]
    pub program: Option<PathBuf>,
    /// A folder with more .rules files; may be given several times
    #[arg(long = "rules", value_name = "DIR")]
    pub rules: Vec<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

/// Which rules a subcommand is about.
#[derive(Args, Debug)]
pub struct Which {
    /// A file of rules (.rules), a program (.rise) whose own rules are meant, or names of rules; all rules unless given
    #[arg(value_name = "FILE|RULE")]
    pub what: Vec<String>,
    /// This rule alone; may be given several times
    #[arg(long = "rule", short = 'r', value_name = "RULE")]
    pub rule: Vec<String>,
    /// A folder with more .rules files; may be given several times
    #[arg(long = "rules", value_name = "DIR")]
    pub rules: Vec<PathBuf>,
}

#[derive(Args, Debug)]
pub struct RulesCheck {
    #[command(flatten)]
    pub which: Which,
    /// What the random instances are drawn from
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// How many instances each rule must hold on
    #[arg(long, value_name = "NUMBER", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub instances: u32,
    /// How long a rule is tested at most; after 8 seconds it is as soon as 24 instances agree
    #[arg(long, value_name = "NUMBER", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub seconds: u64,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Args, Debug)]
pub struct RulesLint {
    #[command(flatten)]
    pub which: Which,
    /// Show notes too
    #[arg(long)]
    pub notes: bool,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Args, Debug)]
pub struct Strategies {
    /// The strategy or sketch to show
    pub name: Option<String>,
    /// A program whose own strategies are to be listed too
    #[arg(long, value_name = "PROGRAM.rise")]
    pub program: Option<PathBuf>,
    /// A folder with more .elevate files; may be given several times
    #[arg(long = "rules", value_name = "DIR")]
    pub rules: Vec<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Args, Debug)]
pub struct Patterns {
    /// The pattern to show
    pub name: Option<String>,
    /// A program whose own patterns are to be listed too
    #[arg(long, value_name = "PROGRAM.rise")]
    pub program: Option<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Args, Debug)]
pub struct Fmt {
    /// Programs, rules or strategies
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Change nothing; exit with 1 when a file is not in the standard layout
    #[arg(long)]
    pub check: bool,
    /// Use no characters outside ASCII
    #[arg(long)]
    pub ascii: bool,
}

#[derive(Args, Debug)]
pub struct Explain {
    /// The code, such as E0110; a word lists the codes that have it in their title
    pub code: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    /// Paragraphs are one line each, which is broken where the terminal ends; tables fit as they are.
    #[test]
    fn what_comes_after_the_options_is_broken_where_the_terminal_ends() {
        fn all(command: &clap::Command, out: &mut Vec<String>) {
            out.extend(command.get_after_help().map(ToString::to_string));
            command.get_subcommands().for_each(|sub| all(sub, out));
        }
        let mut helps = vec![];
        all(&Cli::command(), &mut helps);
        assert!(helps.len() >= 5);
        for line in helps.iter().flat_map(|help| help.lines()) {
            let (is_row, first) = (line.starts_with(' '), line.chars().next().unwrap_or('A'));
            assert!(if is_row { line.chars().count() <= 100 } else { !first.is_lowercase() }, "{line}");
        }
    }
}
