#![allow(missing_docs, clippy::all, clippy::pedantic)]
use plackett::*;
use std::{ops::ControlFlow, time::Duration};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let secs: f64 = args[1].parse().unwrap();
    let seeds: u64 = args[2].parse().unwrap();
    for path in &args[3..] {
        let p = read_problem(path.as_ref(), None).unwrap();
        let bk = p.best_known();
        for seed in 0..seeds {
            let mut w = Walks::new(&*p, None, WalkSettings { seed, ..Default::default() }).unwrap();
            let mut t = Trace::default();
            let lim = Limits { time: Some(Duration::from_secs_f64(secs)), target: bk.map(|b| b.value), ..Default::default() };
            let e = w.run(&*p, &lim, &mut t, |_| ControlFlow::Continue(())).unwrap();
            let (o, v) = w.best().unwrap();
            assert_eq!(p.value(o), v);
            println!("{} {} n={} seed={seed} value={v} known={:?} {e:?} {:.2}s evals={} rate={:.1e} last={:?}", p.kind(), p.name(), p.items(), bk.map(|b| b.value), t.seconds(), w.evaluations(), w.evaluations() as f64/t.seconds(), t.points().last());
        }
    }
}
