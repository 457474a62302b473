//! `plackett optimize` from outside: its JSON, files and exit codes, other programs that die, lie or fail, and resumed runs.

mod common;

use plackett::solver::Method;
use serde_json::Value;

use common::Folder;

fn json(arguments: &[&str]) -> Value {
    common::json(&[&["optimize"], arguments].concat())
}

fn complaint(arguments: &[&str], code: i32) -> String {
    common::complaint(&[&["optimize"], arguments].concat(), code)
}

/// A document without what depends on the clock.
fn timeless(mut document: Value) -> Value {
    document["seconds"].take();
    for point in document["trace"].as_array_mut().unwrap() {
        point["seconds"].take();
    }
    document
}

/// A command that runs this Python program, which may use `value(order)` and `answer(id, value)`.
fn worker(folder: &Folder, program: &str) -> String {
    let start = "import json, os, sys\n\
        def value(order):\n    \
            return sum(1 + (a * 7 + b) / 100 for i, a in enumerate(order) for b in order[i + 1:] if a > b)\n\
        def answer(id, value):\n    \
            print(json.dumps({'id': id, 'value': value}), flush=True)\n";
    format!("python3 {}", folder.write("worker.py", &format!("{start}{program}")))
}

const HONEST: &str =
    "for line in sys.stdin:\n    asked = json.loads(line)\n    answer(asked['id'], value(asked['order']))\n";

/// A linear ordering problem that a hidden order solves completely.
fn ordering(n: usize) -> String {
    let hidden = |item: usize| item * 7 % n;
    let entry = |at: usize| if hidden(at / n) < hidden(at % n) { 1 + at % 9 } else { 0 };
    let numbers: Vec<String> = (0..n * n).map(|at| entry(at).to_string()).collect();
    format!("{n}\n{}\n", numbers.join(" "))
}

#[test]
fn the_document_has_the_fields_of_its_contract() {
    let folder = Folder::new();
    let file = folder.write("hidden.mat", &ordering(12));
    let out = folder.path("new/folder");
    let found = json(&[&file, "--evaluations", "100000", "--out", &out]);
    assert_eq!((&found["kind"], &found["sense"]), (&Value::from("lop"), &Value::from("maximize")));
    assert_eq!((&found["items"], &found["name"]), (&Value::from(12), &Value::from("hidden")));
    assert_eq!((&found["method"], &found["status"]), (&Value::from("default"), &Value::from("evaluations")));
    assert!(found["best_known"].is_null() && found["gap"].is_null());
    let total: u64 =
        ordering(12).split_whitespace().skip(1).map(|number| number.parse::<u64>().unwrap()).sum();
    assert_eq!(found["value"].as_f64().unwrap(), total as f64);
    assert_eq!(found["order"].as_array().unwrap().len(), 12);
    assert_eq!(found["evaluations"], 100_000);
    let trace = found["trace"].as_array().unwrap();
    assert_eq!(trace.last().unwrap()["best"], found["value"]);
    assert!(trace.iter().all(|point| point["evaluations"].is_u64() && point["seconds"].is_f64()));
    let written: Value = serde_json::from_str(&folder.read("new/folder/result.json")).unwrap();
    assert_eq!(written, found);
    assert!(folder.read("new/folder/trace.csv").starts_with("evaluations,seconds,best\n"));
}

#[test]
fn every_kind_is_recognized_and_every_method_runs() {
    let folder = Folder::new();
    let square = "NAME: square\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 9 9\n3 0 9\n4 9 0\nEOF\n";
    let shop = "number of jobs, number of machines, initial seed, upper bound and lower bound :\n 3 2 7 16 16\nprocessing times :\n 1 2 3\n 4 5 6\n";
    for (kind, text, arguments, value, gap) in [
        ("tsp", square.to_owned(), vec![], 36.0, None),
        ("qap", "2\n0 3\n1 0\n\n0 5\n2 0\n".to_owned(), vec![], 11.0, None),
        ("qap", "2 11\n0 3\n1 0\n\n0 5\n2 0\n".to_owned(), vec![], 11.0, Some(0.0)),
        ("pfsp", shop.to_owned(), vec![], 16.0, Some(0.0)),
        ("pfsp", shop.repeat(2), vec!["--instance", "2"], 16.0, Some(0.0)),
        ("assignment", "2\n5 1\n2 9\n".to_owned(), vec!["--kind", "assignment"], 3.0, Some(0.0)),
    ] {
        let file = folder.write("problem.txt", &text);
        for method in ["default", "insertion", "pl-relax", "pl-reinforce", "pl", "pl-relax+insertion"] {
            let call =
                [&[file.as_str(), "--method", method, "--evaluations", "400"], &arguments[..]].concat();
            let found = json(&call);
            assert_eq!(
                (&found["kind"], &found["value"]),
                (&Value::from(kind), &Value::from(value)),
                "{method}"
            );
            assert_eq!(found["gap"].as_f64(), gap);
            assert_eq!(found["method"], method);
        }
    }
    let text = common::text(&["optimize", &folder.path("problem.txt"), "--kind", "assignment"]);
    assert!(
        text.contains("best known") && text.contains("3 (optimal)") && text.contains("0.000 %"),
        "{text}"
    );
    assert!(text.contains("minimize") && text.contains("Order 1, 0"), "{text}");
}

#[test]
fn several_orders_at_once_are_blocks_of_one() {
    let folder = Folder::new();
    let command = worker(&folder, HONEST);
    let call =
        ["--items", "5", "--command", &command, "--blocks", "3,2", "--maximize", "--evaluations", "50"];
    let found = json(&call);
    // 3! times 2! orders, and the best of them turns each block round.
    assert_eq!((&found["status"], &found["evaluations"]), (&Value::from("finished"), &Value::from(12)));
    assert_eq!(found["order"], serde_json::json!([2, 1, 0, 4, 3]));
    let wrong = complaint(&["--items", "5", "--command", &command, "--blocks", "3,3"], 2);
    assert!(wrong.contains("an order of all blocks has 6 entries where 5 are needed"), "{wrong}");
}

#[test]
fn constraints_are_kept_and_contradictions_named() {
    let folder = Folder::new();
    let file = folder.write("hidden.mat", &ordering(8));
    let call =
        [file.as_str(), "--before", "1,0", "--before", "0,7", "--pin", "3,2", "--evaluations", "50000"];
    let found = json(&call);
    let order: Vec<u64> =
        found["order"].as_array().unwrap().iter().map(|item| item.as_u64().unwrap()).collect();
    let rank = |item: u64| order.iter().position(|&other| other == item).unwrap();
    assert!(rank(1) < rank(0) && rank(0) < rank(7) && rank(3) == 2, "{order:?}");
    let circle = complaint(&[&file, "--before", "0,1", "--before", "1,0"], 2);
    assert_eq!(circle, "error: items must come before themselves: 0 before 1 before 0\n");
    assert!(complaint(&[&file, "--pin", "0,1", "--pin", "2,1"], 2).contains("items 0 and 2 both at rank 1"));
    for method in Method::ALL {
        let call = [
            &file,
            "--ranks",
            "3,1,2",
            "--ranks",
            "0,6,7",
            "--method",
            method.name(),
            "--evaluations",
            "400",
        ];
        let found = json(&call);
        let rank =
            |item: u64| found["order"].as_array().unwrap().iter().position(|other| *other == item).unwrap();
        assert!((1..=2).contains(&rank(3)) && (6..=7).contains(&rank(0)), "{method}: {found}");
    }
    assert!(complaint(&[&file, "--ranks", "3,1"], 2).contains("an item, its first and its last rank"));
    assert!(complaint(&[&file, "--ranks", "3,2,1"], 2).contains("item 3 at ranks 2 to 1"));
    assert!(complaint(&[&file, "--before", "0"], 2).contains("two whole numbers"));
}

#[test]
fn bad_input_is_one_clear_line_and_code_2() {
    let folder = Folder::new();
    let file = folder.write("bad.dat", "2\n0 1\n1 x\n0 1\n1 0\n");
    assert_eq!(
        complaint(&[&file, "--kind", "qap"], 2),
        format!("error: {file}, line 3: 'x' is not a number, but the matrix A is needed\n")
    );
    assert!(complaint(&[&folder.path("nothing.tsp")], 2).contains("nothing.tsp"));
    assert!(
        complaint(&[&file, "--kind", "sat"], 2)
            .contains("[possible values: lop, qap, tsp, pfsp, assignment]")
    );
    assert!(complaint(&[&file, "--time", "0"], 2).contains("a positive number of seconds"));
    assert!(complaint(&[], 2).contains("required"));
    assert!(complaint(&["--command", "cat"], 2).contains("--items"));
    let shop = folder.write("shop.txt", "2 2\n1 2\n3 4\n");
    assert!(complaint(&[&shop, "--instance", "2"], 2).contains("holds 1 problems, not 2"));
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let folder = Folder::new();
    let file = folder.write("hidden.mat", &ordering(30));
    for method in ["default", "pl-relax+insertion"] {
        let run = |threads: &str| {
            timeless(json(&[&file, "--method", method, "--evaluations", "4000000", "--threads", threads]))
        };
        assert_eq!(run("1"), run("3"), "{method}");
    }
}

#[test]
fn a_resumed_run_is_the_run_that_was_never_stopped() {
    let folder = Folder::new();
    let file = folder.write("hidden.mat", &ordering(20));
    for (method, half, all) in [
        ("default", "2100000", "6000000"),
        ("pl-relax", "777", "2000"),
        ("pl-relax+insertion", "999", "2000"),
    ] {
        let state = folder.path(&format!("{method}.json"));
        let call = |evaluations, state: &[&str]| {
            json(&[&[file.as_str(), "--method", method, "--evaluations", evaluations], state].concat())
        };
        call(half, &["--state", &state]);
        let (resumed, whole) = (call(all, &["--state", &state]), call(all, &[]));
        // Where two stages share the evaluations, the shorter run's share is what counts.
        if method != "pl-relax+insertion" {
            for field in ["value", "order", "evaluations"] {
                assert_eq!(resumed[field], whole[field], "{method} {field}");
            }
        }
        let again = call(all, &["--state", &state]);
        assert_eq!(again["value"], resumed["value"]);
        let other = complaint(&[&file, "--method", method, "--seed", "9", "--state", &state], 2);
        assert!(other.contains("another problem, method, seed"), "{other}");
    }
    let torn = folder.write("torn.json", "{\"plackett_state\":\"solver\",\"version\":1");
    assert!(complaint(&[&file, "--state", &torn], 2).contains("the saved state cannot be used"));
    let command = worker(&folder, HONEST);
    let state = folder.path("command.json");
    let call = |evaluations, workers, state: &[&str]| {
        let base = [
            "--items",
            "7",
            "--command",
            &command,
            "--method",
            "pl-relax",
            "--evaluations",
            evaluations,
            "--workers",
            workers,
        ];
        timeless(json(&[&base, state].concat()))
    };
    call("33", "1", &["--state", &state]);
    call("121", "3", &["--state", &state]);
    assert_eq!(call("300", "2", &["--state", &state]), call("300", "1", &[]));
    assert!(
        complaint(&["--items", "7", "--command", &command, "--maximize", "--state", &state], 2)
            .contains("other items")
    );
    let other = complaint(&["--items", "7", "--command", "cat", "--state", &state], 2);
    assert!(other.contains("the state is of another command: 'python3"), "{other}");
}

#[test]
fn programs_value_orders_and_their_number_makes_no_difference() {
    let folder = Folder::new();
    let command = worker(&folder, HONEST);
    for method in ["default", "pl-reinforce", "pl-relax+insertion"] {
        let run = |workers: &str| {
            timeless(json(&[
                "--items",
                "7",
                "--command",
                &command,
                "--method",
                method,
                "--workers",
                workers,
                "--window",
                "4",
                "--evaluations",
                "400",
            ]))
        };
        let one = run("1");
        assert_eq!(one, run("3"));
        assert_eq!((&one["kind"], &one["evaluations"]), (&Value::from("command"), &Value::from(400)));
    }
    let found = json(&["--items", "7", "--command", &command, "--target", "0"]);
    assert_eq!((&found["value"], &found["status"]), (&Value::from(0.0), &Value::from("target")));
    assert_eq!(found["order"], serde_json::json!([0, 1, 2, 3, 4, 5, 6]));
    let largest = json(&["--items", "5", "--command", &command, "--maximize", "--evaluations", "400"]);
    // There are no more than 120 orders of five items, and none is asked twice.
    assert_eq!((&largest["status"], &largest["evaluations"]), (&Value::from("finished"), &Value::from(120)));
    assert_eq!(largest["order"], serde_json::json!([4, 3, 2, 1, 0]));
}

#[test]
fn a_worker_that_dies_loses_nothing() {
    let folder = Folder::new();
    let honest = worker(&folder, HONEST);
    let call = |command: &str, workers: &str| {
        let call = ["--items", "7", "--command", command, "--workers", workers, "--window", "3"];
        timeless(json(&[&call[..], &["--evaluations", "300"]].concat()))
    };
    let mut expected = call(&honest, "1");
    // Killed as by somebody else in the middle of an order, once in twenty answers.
    let dying = worker(
        &folder,
        "import signal\nfor count, line in enumerate(sys.stdin):\n    asked = json.loads(line)\n    if count == 20:\n        os.kill(os.getpid(), signal.SIGKILL)\n    answer(asked['id'], value(asked['order']))\n",
    );
    for workers in ["1", "2"] {
        let mut found = call(&dying, workers);
        for document in [&mut expected, &mut found] {
            document["name"].take();
        }
        assert_eq!(found, expected);
    }
    let never = worker(&folder, "sys.stderr.write('no license\\n')\nsys.exit(3)\n");
    let text = complaint(&["--items", "3", "--command", &never], 1);
    assert!(text.contains("ended 5 times without an answer") && text.contains("no license"), "{text}");
    assert!(complaint(&["--items", "3", "--command", "/no/such/program"], 1).contains("/no/such/program"));
    // What it had answered before it went wrong is shown.
    let broken = worker(
        &folder,
        "for count, line in enumerate(sys.stdin):\n    asked = json.loads(line)\n    if count == 6:\n        print('nonsense', flush=True)\n    answer(asked['id'], value(asked['order']))\n",
    );
    let output = common::run(&["optimize", "--items", "4", "--command", &broken, "--json"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && text.contains("the program said 'nonsense'"), "{text}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["value"].is_number() && found["evaluations"] == 6, "{found}");
}

#[test]
fn programs_that_fail_are_survived_and_programs_that_babble_are_named() {
    let folder = Folder::new();
    let flaky = worker(
        &folder,
        "for line in sys.stdin:\n    asked = json.loads(line)\n    id = asked['id']\n    if id % 7 == 1:\n        answer(id, float('nan'))\n    elif id % 7 == 2:\n        print(json.dumps({'id': id, 'error': 'no luck'}), flush=True)\n    elif id % 7 == 3:\n        answer(id, float('-inf'))\n    else:\n        answer(id, value(asked['order']))\n",
    );
    let found =
        json(&["--items", "6", "--command", &flaky, "--evaluations", "700", "--method", "pl-reinforce"]);
    assert_eq!((&found["failures"], &found["evaluations"]), (&Value::from(300), &Value::from(700)));
    assert!(found["value"].as_f64().unwrap() >= 0.0);
    for (program, expected) in [
        ("print('hello', flush=True)\nsys.stdin.readline()\n", "the program said 'hello'"),
        ("for line in sys.stdin:\n    answer(-1 if line else 0, 1)\n", "the program said '{\"id\": -1"),
        ("for line in sys.stdin:\n    answer(77, 1)\n", "the program answered 77 when asked 0"),
        (
            "for line in sys.stdin:\n    print(json.dumps({'id': json.loads(line)['id'], 'value': 'many'}), flush=True)\n",
            "the program said",
        ),
        (
            "for line in sys.stdin:\n    answer(json.loads(line)['id'], None)\n",
            "all of the 24 evaluations failed, the last one: no value",
        ),
    ] {
        let text = complaint(&["--items", "4", "--command", &worker(&folder, program)], 1);
        assert!(text.contains(expected), "{text}");
    }
    // Parts, for reward-to-go.
    let parts = worker(
        &folder,
        "for line in sys.stdin:\n    asked = json.loads(line)\n    o = asked['order']\n    parts = [value(o[:i + 1]) - value(o[:i]) for i in range(len(o))]\n    print(json.dumps({'id': asked['id'], 'parts': parts}), flush=True)\n",
    );
    let found = json(&["--items", "5", "--command", &parts, "--method", "pl", "--evaluations", "1000"]);
    assert!(found["value"].as_f64().unwrap().abs() < 1e-9);
}

#[test]
fn slow_programs_do_not_outstay_the_time() {
    let folder = Folder::new();
    // Whoever waited for its answer would wait for ever.
    let slow = worker(&folder, "import time\nfor line in sys.stdin:\n    time.sleep(1e6)\n");
    let found = json(&["--items", "4", "--command", &slow, "--time", "0.3"]);
    assert_eq!((&found["status"], &found["value"]), (&Value::from("time"), &Value::Null));
}

#[test]
fn an_order_that_takes_too_long_has_failed() {
    let folder = Folder::new();
    // A shell is there at once, whatever else the machine does.
    let script = "trap '' TERM\nwhile read -r line; do\n    id=${line#*:}; id=${id%%,*}\n    case $id in 3|8) sleep 1000000;; esac\n    echo \"{\\\"id\\\": $id, \\\"value\\\": $id}\"\ndone\n";
    let slow = format!("sh {}", folder.write("slow.sh", script));
    for workers in ["1", "2"] {
        let call = ["--items", "6", "--command", &slow, "--workers", workers, "--timeout", "3"];
        let found = json(&[&call[..], &["--evaluations", "30"]].concat());
        assert_eq!((&found["evaluations"], &found["failures"]), (&Value::from(30), &Value::from(2)));
    }
    let never = worker(&folder, "import time\nfor line in sys.stdin:\n    time.sleep(1e6)\n");
    let call = ["--items", "4", "--command", &never, "--timeout", "0.01", "--evaluations", "3"];
    let text = complaint(&call, 1);
    assert!(
        text.contains("all of the 3 evaluations failed, the last one: no answer within 0.01 seconds"),
        "{text}"
    );
}

/// What a worker must not do to a run: each ends soon, with a word about it, or goes on.
#[test]
fn no_misbehavior_of_a_program_holds_the_run_up() {
    let folder = Folder::new();
    let call = |program: &str| {
        // In place of the shell, which would hold the output open.
        let command = format!("exec {}", worker(&folder, program));
        let output =
            common::run(&["optimize", "--items", "4", "--command", &command, "--evaluations", "5", "--json"]);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // It closes its output and stays.
    let (code, text) = call("import time\nsys.stdin.readline()\nos.close(1)\ntime.sleep(1e6)\n");
    assert!(code == Some(1) && text.contains("ended 5 times without an answer"), "{text}");
    // It floods its output without a line break, and with many.
    let (code, text) = call("while True:\n    sys.stdout.write('x' * 65536)\n");
    assert!(code == Some(1) && text.contains("without a line break"), "{text}");
    let (code, text) = call("sys.stdin.readline()\nwhile True:\n    print('{}')\n");
    assert!(code == Some(1) && text.contains("the program said '{}'"), "{text}");
    // It floods its standard error and answers all the same.
    let (code, text) = call(&format!("sys.stderr.write('x' * 10000000)\n{HONEST}"));
    assert_eq!((code, text.as_str()), (Some(0), ""));
    // It dies while something that it has started holds its output open.
    let (code, text) = call(
        "import subprocess\nsys.stdin.readline()\nsubprocess.Popen(['sleep', '1000000'])\nsys.exit(3)\n",
    );
    assert!(code == Some(1) && text.contains("ended 5 times"), "{text}");
}

/// What workers have started ends with the run, however that ends.
#[cfg(unix)]
#[test]
fn nothing_that_a_worker_has_started_outlives_the_run() {
    let folder = Folder::new();
    for (program, arguments) in [
        (HONEST, vec!["--evaluations", "3"]),
        ("import time\ntime.sleep(1e6)\n", vec!["--time", "0.3"]),
        ("import time\ntime.sleep(1e6)\n", vec!["--timeout", "0.1", "--evaluations", "1"]),
    ] {
        let file = folder.path("grandchild");
        let start = format!(
            "import subprocess\nchild = subprocess.Popen(['sleep', '1000000'])\nopen('{file}', 'w').write(str(child.pid))\n"
        );
        let command = worker(&folder, &format!("{start}{program}"));
        common::run(&[&["optimize", "--items", "4", "--command", &command], &arguments[..]].concat());
        let Ok(process) = std::fs::read_to_string(&file) else { continue }; // ended before it began
        let has_ended = || {
            let status = std::fs::read_to_string(format!("/proc/{process}/status"));
            status.map_or(true, |status| status.contains("State:\tZ"))
        };
        while !has_ended() {
            std::thread::sleep(std::time::Duration::from_millis(5)); // a test that fails would not end
        }
        std::fs::remove_file(&file).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_state_belongs_to_one_process_and_a_result_is_shown_even_if_it_cannot_be_saved() {
    let folder = Folder::new();
    let command = worker(&folder, HONEST);
    let state = folder.path("state.json");
    let lock = std::fs::File::create(format!("{state}.lock")).unwrap();
    lock.lock().unwrap();
    let call = ["--items", "4", "--command", &command, "--state", &state];
    let text = complaint(&call, 2);
    assert!(text.contains("another run is using the state"), "{text}");
    drop(lock);
    // One that a killed process left behind is nobody's, and goes with the next run.
    assert_eq!(json(&call)["evaluations"], 24);
    assert_eq!(folder.files("").iter().filter(|name| name.contains("state")).count(), 1);
    // What cannot be written is found before anything is evaluated.
    folder.write("file", "in the way");
    let (nowhere, file) = (folder.path("file/state.json"), folder.write("hidden.mat", &ordering(5)));
    for option in ["--state", "--out", "--report"] {
        let marker = folder.path("evaluated");
        let program = format!("touch '{marker}'; {command}");
        for problem in [vec!["--items", "4", "--command", program.as_str()], vec![file.as_str()]] {
            let text = complaint(&[&problem[..], &[option, &nowhere]].concat(), 2);
            assert!(text.contains("cannot") && text.contains("file is no folder"), "{text}");
        }
        assert!(!std::path::Path::new(&marker).exists(), "{option}");
    }
    // Its folder goes while the run goes on: the result is shown all the same.
    let gone = folder.path("gone");
    let vandal = format!("rm -r '{gone}'; {command}");
    let state = folder.path("gone/state.json");
    let arguments = ["optimize", "--items", "4", "--command", &vandal, "--state", &state, "--json"];
    let output = common::run(&arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && text.contains("cannot write"), "{text}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["value"].is_number());
}

/// Whoever is killed goes on from the last state, and what had been found until then is still told.
#[cfg(unix)]
#[test]
fn a_killed_run_goes_on_with_its_trace() {
    let folder = Folder::new();
    let (file, state) = (folder.write("hidden.mat", &ordering(30)), folder.path("state.json"));
    let base = ["optimize", &file, "--method", "pl-relax"];
    let mut child =
        common::plackett(&[&base[..], &["--state", &state, "--evaluations", "100000000"]].concat())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
    while !std::path::Path::new(&state).exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let saved: Value = serde_json::from_str(&folder.read("state.json")).unwrap();
    let points = |trace: &Value| -> Vec<Value> {
        trace.as_array().unwrap().iter().map(|point| point["best"].clone()).collect()
    };
    let before = points(&saved["state"]["trace"]["points"]);
    assert!(before.len() > 1);
    // No evaluation more: what is told is what was saved.
    let resumed = common::json(&[&base[..], &["--state", &state, "--evaluations", "1"]].concat());
    assert_eq!(points(&resumed["trace"]), before);
}

/// Two processes at the same time, one of which is given a line that was never ended.
#[test]
fn processes_share_a_run_through_a_journal() {
    let folder = Folder::new();
    let command = worker(&folder, HONEST);
    let journal = folder.path("run.journal");
    let call = |seed: &'static str| {
        let arguments = ["--items", "30", "--command", &command, "--journal", &journal, "--seed", seed];
        json(&[&arguments[..], &["--evaluations", "150"]].concat())
    };
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(|| call("1"));
        let other = scope.spawn(|| call("1"));
        (one.join().unwrap(), other.join().unwrap())
    });
    let lines = || -> Vec<Value> {
        let text = std::fs::read_to_string(&journal).unwrap();
        text.lines().skip(1).filter_map(|line| serde_json::from_str(line).ok()).collect()
    };
    let evaluated = |by: u64| lines().iter().filter(|line| line["by"] == by).count();
    // What the other knew was not evaluated again.
    assert!(evaluated(0) > 100 && evaluated(1) > 100, "{} {}", evaluated(0), evaluated(1));
    let mut orders: Vec<String> = lines()
        .iter()
        .filter(|line| line["order"].is_array())
        .map(|line| line["order"].to_string())
        .collect();
    let count = orders.len();
    orders.sort();
    orders.dedup();
    assert!(orders.len() + 3 > count, "with one seed they ask different orders: {} of {count}", orders.len());
    let least = lines().iter().filter_map(|line| line["value"].as_f64()).fold(f64::INFINITY, f64::min);
    let value = |document: &Value| document["value"].as_f64().unwrap();
    assert_eq!(value(&one).min(value(&other)), least);
    // A process died while it wrote; whoever comes next goes on from the best that there is.
    let mut torn = std::fs::File::options().append(true).open(&journal).unwrap();
    std::io::Write::write_all(&mut torn, b"{\"by\":1,\"order\":[1,2").unwrap();
    let third = json(&["--items", "30", "--command", &command, "--journal", &journal, "--evaluations", "40"]);
    assert!(value(&third) <= least);
    assert!(evaluated(2) > 30);
    let text = complaint(&["--items", "31", "--command", &command, "--journal", &journal], 2);
    assert!(text.contains("it is of a run with 30 items"), "{text}");
    let strange = folder.write("strange", "a text\n");
    let text = complaint(&["--items", "3", "--command", &command, "--journal", &strange], 2);
    assert!(text.contains("it is no journal of a run"), "{text}");
    let noisy = ["--items", "30", "--command", &command, "--journal", &journal, "--noise", "yes"];
    assert!(complaint(&noisy, 2).contains("--journal and --noise"));
}

#[test]
fn starts_patience_choices_and_noise() {
    let (folder, other) = (Folder::new(), Folder::new());
    let command = worker(&other, HONEST);
    let base = ["--items", "7", "--command", &command];
    let with = |more: &[&str]| json(&[&base[..], more].concat());
    let started = with(&["--start", "0,1,2,3,4,5,6", "--evaluations", "1"]);
    assert_eq!(started["value"], 0.0);
    let patient = with(&["--start", "0,1,2,3,4,5,6", "--patience", "20"]);
    assert_eq!((&patient["status"], &patient["evaluations"]), (&Value::from("patience"), &Value::from(21)));
    let file = folder.write("hidden.mat", &ordering(8));
    assert_eq!(json(&[&file, "--patience", "1000000"])["status"], "patience");
    let choice = worker(
        &folder,
        "for line in sys.stdin:\n    asked = json.loads(line)\n    answer(asked['id'], sum(asked['order'][:2]))\n",
    );
    let chosen = json(&["--items", "6", "--command", &choice, "--top", "2"]);
    assert_eq!((&chosen["value"], &chosen["evaluations"]), (&Value::from(1.0), &Value::from(30)));
    let noisy = worker(
        &folder,
        "import random\nrandom.seed(5)\nfor line in sys.stdin:\n    asked = json.loads(line)\n    answer(asked['id'], value(asked['order']) + random.gauss(0, 1))\n",
    );
    let found = json(&["--items", "6", "--command", &noisy, "--noise", "detect", "--evaluations", "800"]);
    assert!(found["error"].as_f64().unwrap() > 0.0);
    assert!(with(&["--noise", "detect", "--evaluations", "50"])["error"].is_null());
    assert!(
        complaint(&["--items", "3", "--command", "cat", "--start", "0,1"], 2).contains("2 entries where 3")
    );
    assert!(complaint(&["--items", "3", "--command", "cat", "--start", "a"], 2).contains("such as 2,0,1"));
}

/// Ctrl-C ends the run, shows what it has and saves it.
#[cfg(unix)]
#[test]
fn an_interrupted_run_shows_and_saves_its_result() {
    let folder = Folder::new();
    let file = folder.write("hidden.mat", &ordering(40));
    let state = folder.path("state.json");
    let found = common::interrupted(&["optimize", &file, "--time", "1000", "--state", &state]);
    let evaluations = found["evaluations"].as_u64().unwrap();
    // Whoever is stopped before the first evaluation is given some order, which a search soon improves on.
    let resumed = json(&[&file, "--evaluations", &(evaluations + 100_000).to_string(), "--state", &state]);
    let number = |document: &Value, field: &str| document[field].as_f64().unwrap();
    assert!(number(&resumed, "value") >= number(&found, "value"));
    assert!(number(&resumed, "evaluations") > number(&found, "evaluations"));
}
