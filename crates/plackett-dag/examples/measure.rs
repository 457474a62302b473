use plackett_dag::*;
use std::{ops::ControlFlow, sync::Arc, time::Instant};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let score_name = args[1].as_str();
    for nodes in args[2].split(',').map(|x| x.parse::<usize>().unwrap()) {
        for (kind, degree) in [(GraphKind::ErdosRenyi, 1), (GraphKind::ErdosRenyi, 4), (GraphKind::ScaleFree, 1), (GraphKind::ScaleFree, 4)] {
            for seed in 0..2u64 {
                let sem = simulate_sem(&SemSettings { graph: kind, degree, nodes, noise: Noise::Standard }, seed).unwrap();
                let table = sem.sample(1000, Sem::TRAINING);
                let gram = Arc::new(Gram::from_rows(table.values(), nodes, Centring::Centre).unwrap());
                let score = score_by_name(score_name, gram, &ScoreSettings::default()).unwrap();
                let mut oracle = Oracle::new(score);
                let t = Instant::now();
                let ins = Insertion::default().run(&mut oracle).unwrap();
                print!("{kind:?}{degree} {nodes} s{seed}: insertion {:.3} ({:.2}s)", ins.score, t.elapsed().as_secs_f64());
                for gradient in [GradientKind::Relax, GradientKind::Reinforce, GradientKind::RewardToGo] {
                    let t = Instant::now();
                    let s = PlSearch { gradient, steps: args[3].parse().unwrap(), samples: args[4].parse().unwrap(), learning_rate: args[5].parse().unwrap(), ..PlSearch::default() };
                    let f = s.run(&mut oracle, |_| ControlFlow::Continue(())).unwrap();
                    print!("  {gradient:?} mode +{:.3} best +{:.3} {} ({:.2}s)", f.mode.score - ins.score, f.best.score - ins.score, f.steps, t.elapsed().as_secs_f64());
                }
                println!();
            }
        }
    }
}
