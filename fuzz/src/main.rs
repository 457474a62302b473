//! `plackett-fuzz [--guided PROGRAM] SECONDS [TARGET…]`: feeds every reader, or those named, for so many seconds each, with cases made from
//! its corpus: by chance, or by `guided.rs`, built as PROGRAM, which goes on from cases that reached something new.
//!
//! Each reader runs in a process of its own, so that even one that is ended by the system leaves its case behind: a panic, more than
//! some seconds of processor time, or more memory than any case should need. Such cases are put into the corpus, where the
//! tests read them again, and make the program end with 1.

#![expect(clippy::print_stdout, reason = "it is a tool that reports")]

use std::{
    alloc::System,
    fs::{self, File},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io::{Seek as _, SeekFrom, Write as _},
    panic,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Output, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, anyhow};
use cap::Cap;
use plackett_fuzz::{Mutator, TARGETS, Target};

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// No case of some kilobytes should need more.
const MOST_BYTES: usize = 1 << 28;
/// Nor more seconds of the processor.
const MOST_SECONDS: f64 = 5.0;
/// Cases that a process tries before another takes over with another seed.
const CASES_PER_PROCESS: u64 = 200_000;

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--child", name, seed, seconds, ref case] => {
            let target = TARGETS.iter().find(|target| target.name == name).context("no such target")?;
            feed(target, seed.parse()?, seconds.parse()?, Path::new(case))?;
            Ok(ExitCode::SUCCESS)
        }
        ["--guided", program, seconds, ref names @ ..] => {
            all(&Engine::Guided(program.into()), seconds.parse().context("how many seconds?")?, names)
        }
        [seconds, ref names @ ..] => {
            all(&Engine::Blind, seconds.parse().context("how many seconds?")?, names)
        }
        [] => all(&Engine::Blind, 10.0, &[]),
    }
}

/// Where cases come from.
enum Engine {
    /// The corpus, changed by chance.
    Blind,
    /// This program, by libFuzzer.
    Guided(PathBuf),
}

impl Engine {
    /// The process that feeds a reader until the time is over or a case is too much for it, which is then in a file.
    fn child(&self, target: &Target, seed: u64, seconds: f64, case: &Path) -> anyhow::Result<Command> {
        let Self::Guided(program) = self else {
            let mut child = Command::new(std::env::current_exe()?);
            child.args(["--child", target.name, &seed.to_string(), &seconds.to_string()]).arg(case);
            return Ok(child);
        };
        // What it has learned stays beside it for the next time.
        let grown = program.with_file_name("corpus").join(target.name);
        fs::create_dir_all(&grown)?;
        let dictionary = program.with_file_name(format!("{}.dictionary", target.name));
        let mut words = String::new();
        for word in target.words.iter().filter(|word| !word.is_empty()) {
            let bytes: Vec<String> = word.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
            words += &format!("\"{}\"\n", bytes.concat());
        }
        fs::write(&dictionary, words)?;
        let mut child = Command::new(program);
        child
            .env("PLACKETT_FUZZ_TARGET", target.name)
            .arg(format!("-seed={}", seed as u32 | 1))
            .arg(format!("-max_total_time={}", seconds.ceil()))
            .arg(format!("-exact_artifact_path={}", case.display()))
            .arg(format!("-dict={}", dictionary.display()))
            .args(["-timeout=30", "-rss_limit_mb=2048", "-max_len=32768", "-len_control=20"])
            .args(["-print_final_stats=1", "-verbosity=0"])
            .args([grown, target.folder()]);
        Ok(child)
    }

    /// Whether what a process says is more than its settings.
    fn is_about_the_case(&self, line: &str) -> bool {
        match self {
            Self::Blind => true,
            Self::Guided(_) => {
                ["thread ", "memory ", "==", "ALARM"].iter().any(|word| line.starts_with(word))
            }
        }
    }

    /// How many cases a process says that it has read.
    fn cases(&self, output: &Output) -> u64 {
        let text = match self {
            Self::Blind => &output.stdout,
            Self::Guided(_) => &output.stderr,
        };
        let text = String::from_utf8_lossy(text);
        let last = match self {
            Self::Blind => text.lines().last(),
            Self::Guided(_) => {
                text.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"))
            }
        };
        last.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
    }
}

/// Feeds the targets one after another, and tells of each.
fn all(engine: &Engine, seconds: f64, names: &[&str]) -> anyhow::Result<ExitCode> {
    if let Some(unknown) = names.iter().find(|&&name| TARGETS.iter().all(|target| target.name != name)) {
        return Err(anyhow!("{unknown} is no target"));
    }
    let mut found = 0;
    for target in TARGETS.iter().filter(|target| names.is_empty() || names.contains(&target.name)) {
        let (cases, findings) = fuzz(engine, target, seconds)?;
        println!("{:<12} {cases:>12} cases {:>3} findings", target.name, findings.len());
        findings.iter().for_each(|(path, why)| println!("    {}: {why}", path.display()));
        found += findings.len();
    }
    Ok(if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// How many cases a reader was fed, and those that it could not take, with why.
fn fuzz(engine: &Engine, target: &Target, seconds: f64) -> anyhow::Result<(u64, Vec<(PathBuf, String)>)> {
    /// One that fails that often is to be mended first.
    const MOST_FINDINGS: usize = 10;
    let case = std::env::temp_dir().join(format!("plackett-fuzz-{}-{}", target.name, std::process::id()));
    let (start, first) = (Instant::now(), std::time::SystemTime::UNIX_EPOCH.elapsed()?.as_secs());
    let (mut cases, mut findings) = (0, Vec::new());
    for round in 0.. {
        let left = seconds - start.elapsed().as_secs_f64();
        if left <= 0.0 || findings.len() >= MOST_FINDINGS {
            break;
        }
        let output =
            engine.child(target, first * 1000 + round, left, &case)?.stdin(Stdio::null()).output()?;
        cases += engine.cases(&output);
        if !output.status.success() {
            let bytes =
                fs::read(&case).with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
            fs::remove_file(&case)?;
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            let path = target.folder().join(format!("found-{:016x}", hasher.finish()));
            if findings.iter().any(|(known, _)| *known == path) {
                // It is in the corpus now, and would be read first each time.
                break;
            }
            fs::write(&path, bytes)?;
            let said = String::from_utf8_lossy(&output.stderr);
            let why =
                said.lines().skip_while(|line| !engine.is_about_the_case(line)).collect::<Vec<_>>().join(" ");
            let why = why.chars().take(300).collect::<String>();
            findings.push((path, format!("{} {why}", output.status)));
        }
    }
    fs::remove_file(&case).ok();
    Ok((cases, findings))
}

/// The number of the case that is being read, and the processor's time when it was begun, in milliseconds.
static CASE: AtomicU64 = AtomicU64::new(0);
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// Feeds one reader until the time is over or it fails, with the case at hand in a file.
fn feed(target: &Target, seed: u64, seconds: f64, file: &Path) -> anyhow::Result<()> {
    let corpus: Vec<Vec<u8>> = target.corpus()?.into_iter().map(|(_, case)| case).collect();
    let mut mutator = Mutator::new(seed);
    let mut file = File::create(file)?;
    MEMORY.set_limit(MEMORY.allocated() + MOST_BYTES).map_err(|()| anyhow!("no limit"))?;
    thread::spawn(watch);
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < seconds && CASE.load(Ordering::Relaxed) < CASES_PER_PROCESS {
        let case = mutator.case(&corpus, target.words);
        // The same file each time: a new one would have to be on the disk first.
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&case)?;
        file.set_len(case.len() as u64)?;
        BEGUN.store(processor_milliseconds(), Ordering::Relaxed);
        let number = CASE.fetch_add(1, Ordering::Relaxed) + 1;
        if panic::catch_unwind(|| (target.read)(&case)).is_err() {
            println!("{number}");
            std::process::exit(101);
        }
    }
    println!("{}", CASE.load(Ordering::Relaxed));
    Ok(())
}

/// Ends the process when a case takes too long.
#[expect(clippy::print_stderr, reason = "it is a tool that reports")]
fn watch() {
    loop {
        let case = CASE.load(Ordering::Relaxed);
        thread::sleep(Duration::from_millis(500));
        let spent = processor_milliseconds().saturating_sub(BEGUN.load(Ordering::Relaxed)) as f64 / 1000.0;
        if case == CASE.load(Ordering::Relaxed) && case > 0 && spent > MOST_SECONDS {
            eprintln!("more than {MOST_SECONDS} seconds");
            println!("{case}");
            std::process::exit(102);
        }
    }
}

/// What this process has had of the processor.
fn processor_milliseconds() -> u64 {
    #[cfg(unix)]
    {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        now.tv_sec.unsigned_abs() * 1000 + now.tv_nsec.unsigned_abs() / 1_000_000
    }
    #[cfg(not(unix))]
    {
        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_millis() as u64
    }
}
