//! A problem over orders: jobs on one machine, each with a duration and a due date; what counts is how late they are in all.

use plackett::problem::Problem;

/// Jobs with their durations and due dates.
pub struct Tardiness {
    /// How long each job takes, and when it is due.
    pub jobs: Vec<(f64, f64)>,
}

impl Problem for Tardiness {
    fn items(&self) -> usize {
        self.jobs.len()
    }

    fn value(&self, order: &[usize]) -> f64 {
        let mut parts = vec![0.0; order.len()];
        self.parts(order, &mut parts);
        parts.iter().sum()
    }

    /// A job's lateness is known as soon as those before it are: reward-to-go can use that.
    fn parts(&self, order: &[usize], parts: &mut [f64]) {
        let mut time = 0.0;
        for (&job, part) in order.iter().zip(parts) {
            let (duration, due) = self.jobs[job];
            time += duration;
            *part = f64::max(time - due, 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plackett::{
        run::{Limits, Run},
        solver::{Method, Solver},
    };

    #[test]
    fn every_method_solves_it() {
        let jobs = vec![(4.0, 9.0), (1.0, 2.0), (3.0, 5.0), (2.0, 12.0), (5.0, 16.0), (2.0, 7.0)];
        let problem = Tardiness { jobs };
        let mut orders = vec![vec![]];
        for item in 0..6 {
            let longer = |order: &Vec<usize>| {
                (0..=order.len()).map({
                    let order = order.clone();
                    move |at| {
                        let mut order = order.clone();
                        order.insert(at, item);
                        order
                    }
                })
            };
            orders = orders.iter().flat_map(longer).collect();
        }
        let least = orders.iter().map(|order| problem.value(order)).fold(f64::INFINITY, f64::min);
        for method in Method::ALL {
            let limits = Limits { target: Some(least), ..Limits::evaluations(20_000) };
            let mut solver = Solver::new(&problem, method, 0, &limits).unwrap();
            solver.run(&problem, &Run::new(limits)).unwrap();
            assert_eq!(solver.best().unwrap().1, least, "{method}");
        }
    }
}
