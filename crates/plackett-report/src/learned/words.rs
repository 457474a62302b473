//! What the words of the report mean; those that it does not use are left out.

use super::Report;
use crate::html::Html;

impl Report<'_> {
    pub(super) fn words(&self) -> Html {
        let learned = self.learned;
        let mut words = vec![
            (
                "edge",
                "a → b says that a is a direct cause of b among these columns, if the assumptions hold that the diagnostics speak of; \
                 above all that no common cause of the two was left out.",
            ),
            ("parents, children", "the direct causes of a column, and what it is a direct cause of."),
            (
                "Markov blanket",
                "a column's parents, children and the children's other parents: given these, no other column helps to predict it.",
            ),
        ];
        if self.is_linear() {
            words.push((
                "weight",
                "by how much the effect changes when the cause grows by one and the other parents stay.",
            ));
            words.push(("standardized", "the same if every column had a standard deviation of one."));
        }
        if learned.strengths.is_some() {
            words.push((
                "strength",
                "what the score would lose without the edge, the other parents fitted anew. It is in units of the log-likelihood for most \
                 scores: below 1 is little, above 10 a lot.",
            ));
        }
        if learned.p_values.is_some() {
            words.push(("p-value", "the largest of the tests that kept the edge."));
        }
        words.push((
            "class",
            "all graphs that these data cannot tell apart, drawn as one: an edge has a direction if all of them have it (CPDAG; with \
             knowledge or interventions, the maximally oriented graph).",
        ));
        words.push(("compelled", "the direction is the same in all graphs of the class."));
        words.push(("open", "the data fit as well with the edge turned round."));
        if self.known.is_some() {
            words.push(("known", "what is known of the graph rules out the other direction."));
        }
        if self.replicated().is_some() {
            words.push(("support", "the share of resamples (rows drawn anew, as many, with replacement) in whose graphs the two are joined."));
            words.push((
                "this way, other way",
                "the share with this direction, and with the other; in the rest it was open.",
            ));
            words
                .push(("doubtful", "the class has this direction, and fewer than half of the resamples do."));
            words.push(("consensus", "pairs joined in more than half of the resamples, with the direction that most of those have."));
        }
        if learned.probabilities.is_some() {
            words.push((
                "probability",
                "the posterior probability of the edge, by Markov chains over graphs.",
            ));
        }
        let fits = self.fits();
        if fits.iter().any(Option::is_some) {
            words.push(if self.is_linear() {
                ("variance explained", "the share of a column's variance that its parents tell (R²).")
            } else {
                (
                    "entropy explained",
                    "the share of a column's uncertainty that its parents take away: 0 none, 1 all.",
                )
            });
        }
        if self.truth.is_some() {
            words.push(("SHD", "structural Hamming distance: edges to add, remove or turn round."));
            words.push(("SID", "structural intervention distance: pairs for which the graph gives a wrong effect of one on the other."));
        }
        words.push((
            "fingerprint",
            "a number of the data's content: the same data have the same one, in whatever file, and other data another.",
        ));
        let entry = |(word, meaning): (&str, &str)| {
            let pieces =
                [Html::element("dt", "", &Html::text(word)), Html::element("dd", "", &Html::text(meaning))];
            pieces.into_iter().collect::<Html>()
        };
        Html::element("dl", "words", &words.into_iter().map(entry).collect())
    }
}
