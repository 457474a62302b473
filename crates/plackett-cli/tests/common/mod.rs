//! What the tests of the program share: calling it, reading its answers, folders for its files, and Ctrl-C.

#![allow(dead_code, reason = "every test file uses a part of this")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

/// The program with these arguments, in two threads: that of this build, or another that `PLACKETT_PROGRAM` names.
pub(crate) fn plackett(arguments: &[&str]) -> Command {
    let program =
        std::env::var_os("PLACKETT_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_plackett").into());
    let mut command = Command::new(program);
    command.args(arguments).env("RAYON_NUM_THREADS", "2");
    command
}

pub(crate) fn run(arguments: &[&str]) -> Output {
    plackett(arguments).output().unwrap()
}

/// The document of a call that must succeed and say nothing else.
pub(crate) fn json(arguments: &[&str]) -> Value {
    document(&mut plackett(arguments))
}

/// The same from a command that was prepared further.
pub(crate) fn document(command: &mut Command) -> Value {
    serde_json::from_str(&succeeded(&command.arg("--json").output().unwrap())).unwrap()
}

/// What a call that must succeed prints.
pub(crate) fn text(arguments: &[&str]) -> String {
    succeeded(&run(arguments))
}

fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "progress belongs on a terminal only");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The complaint of a call that must fail with this code and print nothing else.
pub(crate) fn complaint(arguments: &[&str], code: i32) -> String {
    let output = run(arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(output.stdout.is_empty());
    text
}

/// The document of a call that gets Ctrl-C as soon as it listens to it, which is before the first step or at any time after.
#[cfg(unix)]
pub(crate) fn interrupted(arguments: &[&str]) -> Value {
    let document: Value = serde_json::from_str(&succeeded(&stopped(arguments))).unwrap();
    assert_eq!(document["status"], "interrupted");
    document
}

/// What comes of such a call.
#[cfg(unix)]
pub(crate) fn stopped(arguments: &[&str]) -> Output {
    use rustix::process::{Pid, Signal, kill_process};
    use std::process::Stdio;
    let mut child =
        plackett(arguments).arg("--json").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !listens(child.id()) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    child.wait_with_output().unwrap()
}

/// Whether a process has a handler of its own for Ctrl-C.
#[cfg(target_os = "linux")]
fn listens(process: u32) -> bool {
    const INTERRUPT: u32 = 2;
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() >> (INTERRUPT - 1) & 1 == 1
}

/// Nothing says so here: time enough for any machine.
#[cfg(all(unix, not(target_os = "linux")))]
fn listens(_: u32) -> bool {
    std::thread::sleep(std::time::Duration::from_secs(10));
    true
}

/// The names in a list of a document.
pub(crate) fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

/// A folder with files in it, for as long as the test runs.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.root().join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of the files in a folder within this one.
    pub(crate) fn files(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(name)).unwrap();
        let mut files: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        files.sort();
        files
    }
}
