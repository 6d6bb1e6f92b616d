//! Rules said more widely than their learner dared to: for any scheme and host of the site, for URLs with further parameters, and for any
//! text where several rules differ in nothing but that text.

use std::collections::{BTreeMap, BTreeSet};

use undust::rules::template::{Convert, Item, Piece, QueryItem, QueryKind, Text, as_literal};
use undust::rules::{Action, Rewrite};

use super::Proposal;
use crate::learn::Candidate;
use crate::learn::template_helpers::forget_unused;

/// Wider forms of these proposals, without those that are there already. They have seen what the rules they come from have seen.
pub(super) fn widen(proposals: &[Proposal]) -> Vec<Proposal> {
    let mut wider = Vec::new();
    for proposal in proposals {
        if let Action::Rewrite(rewrite) = &proposal.candidate.action {
            let forms = [any_host(rewrite), further_parameters(rewrite)];
            let both = forms[0].as_ref().and_then(further_parameters);
            wider.extend(forms.into_iter().flatten().chain(both).map(|rewrite| proposal.saying(rewrite)));
        }
    }
    wider.extend(merged(proposals));
    let mut known: BTreeSet<String> = proposals.iter().map(|p| p.candidate.action.to_string()).collect();
    wider.retain(|proposal| known.insert(proposal.candidate.action.to_string()));
    wider
}

impl Proposal {
    /// Another rule that was found from the same URLs.
    fn saying(&self, rewrite: Rewrite) -> Proposal {
        let candidate = Candidate { action: Action::Rewrite(rewrite), ..self.candidate.clone() };
        Proposal { candidate, ..self.clone() }
    }
}

/// The same rule on any host, where it leaves scheme and host alone.
fn any_host(rewrite: &Rewrite) -> Option<Rewrite> {
    let (mut matches, mut becomes) = (rewrite.matches().clone(), rewrite.becomes().clone());
    let is_kept =
        matches.scheme == becomes.scheme && matches.host == becomes.host && matches.port == becomes.port;
    if !is_kept || matches.port.is_some() || matches.host.iter().any(|label| label.fixed().is_none()) {
        return None;
    }
    for template in [&mut matches, &mut becomes] {
        template.scheme = vec![Piece::hole("scheme")];
        template.host = vec![Item::Rest(Convert::Copy)];
    }
    Rewrite::new(matches, becomes).ok()
}

/// The same rule for URLs with further parameters, which are kept.
fn further_parameters(rewrite: &Rewrite) -> Option<Rewrite> {
    let (mut matches, mut becomes) = (rewrite.matches().clone(), rewrite.becomes().clone());
    let has_others = |query: &Option<Vec<QueryItem>>| {
        query.iter().flatten().any(|item| matches!(item.kind, QueryKind::Others { .. }))
    };
    if has_others(&matches.query) || has_others(&becomes.query) {
        return None;
    }
    for template in [&mut matches, &mut becomes] {
        let kind = QueryKind::OTHERS;
        template.query.get_or_insert_default().push(QueryItem { separator: b'&', kind });
    }
    Rewrite::new(matches, becomes).ok()
}

/// Number of rules differing in one text that become one rule for any text.
const MIN_RULES_TO_WIDEN: usize = 3;

/// Number of texts of a rule; rules with more are not widened.
const MAX_RULE_TEXTS: usize = 64;

/// Rules that stand for several which differ in one text.
fn merged(proposals: &[Proposal]) -> Vec<Proposal> {
    let mut alike: BTreeMap<String, (Proposal, usize)> = BTreeMap::new();
    for proposal in proposals {
        let Action::Rewrite(rewrite) = &proposal.candidate.action else { continue };
        let texts = rewrite.matches().texts().count();
        for place in (0..texts).filter(|_| texts <= MAX_RULE_TEXTS) {
            let Some(open) = opened(rewrite, place).map(|open| proposal.saying(open)) else { continue };
            let (known, rules) = alike.entry(open.candidate.action.to_string()).or_insert((open, 0));
            if *rules > 0 {
                known.candidate.support += proposal.candidate.support;
                // All of them were looked at to find it.
                known.unseen &= proposal.unseen;
            }
            *rules += 1;
        }
    }
    alike
        .into_values()
        .filter(|(_, rules)| *rules >= MIN_RULES_TO_WIDEN)
        .map(|(proposal, _)| proposal)
        .collect()
}

/// The name of the hole that takes the place of a text.
const OPEN: &str = "any-text";

/// The rule with any text in place of the `place`-th text of its match, which must be fixed; where the same text is printed once, what was there is.
fn opened(rewrite: &Rewrite, place: usize) -> Option<Rewrite> {
    let (mut matches, mut becomes) = (rewrite.matches().clone(), rewrite.becomes().clone());
    // The scheme and the host say which site it is.
    let first = 1 + matches.host.iter().filter(|item| matches!(item, Item::One(_))).count();
    if place < first {
        return None;
    }
    let text = matches.texts_mut().nth(place)?;
    let fixed = as_literal(text)?.to_vec();
    if fixed.is_empty() {
        return None;
    }
    *text = hole();
    let mut printed: Vec<&mut Text> =
        becomes.texts_mut().filter(|text| as_literal(text) == Some(&fixed[..])).collect();
    if printed.len() > 1 {
        return None;
    }
    if let Some(text) = printed.pop() {
        *text = hole();
    }
    forget_unused(&mut matches, &becomes);
    Rewrite::new(matches, becomes).ok()
}

fn hole() -> Text {
    vec![Piece::hole(OPEN)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wider(rules: &[(&str, &str)]) -> Vec<String> {
        let proposal = |(from, to): &(&str, &str)| Proposal {
            candidate: Candidate { action: Action::rewrite(from, to).expect("well formed"), support: 1 },
            unseen: 1,
            learners: vec!["test"],
        };
        let proposals: Vec<Proposal> = rules.iter().map(proposal).collect();
        widen(&proposals).into_iter().map(|p| p.candidate.action.to_string()).collect()
    }

    #[test]
    fn any_host_and_further_parameters() {
        let forms = wider(&[("http://a.com/x?s=*", "http://a.com/x")]);
        assert_eq!(
            forms,
            [
                "{scheme}://{...}/x?s=* -> {scheme}://{...}/x",
                "http://a.com/x?s=*&{...} -> http://a.com/x?{...}",
                "{scheme}://{...}/x?s=*&{...} -> {scheme}://{...}/x?{...}",
            ]
        );
        assert_eq!(wider(&[("http://{...}/x?{...}", "http://{...}/y?{...}")]), [] as [&str; 0]);
    }

    #[test]
    fn several_rules_that_differ_in_one_text() {
        let rules = ["a", "b", "c"]
            .map(|f| (format!("http://{{...}}/{f}/print?{{...}}"), format!("http://{{...}}/{f}?{{...}}")));
        let rules: Vec<(&str, &str)> = rules.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        assert_eq!(wider(&rules), ["http://{...}/{any-text}/print?{...} -> http://{...}/{any-text}?{...}"]);
        assert_eq!(wider(&rules[..2]), [] as [&str; 0]);
    }
}
