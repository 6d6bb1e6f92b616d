//! Translating: the likeliest token at each step, of those that may be written.

use std::ops::{Deref, Range};

use super::copying::{Copier, Look};
use super::curves::{exp, exp_all, greatest};
use super::gradient::{logits, move_rows};
use super::gru::Unit;
use super::layout::{Copying, Network};
use super::memory::{Directions, Memory};
use super::{END, Token};

/// How many sequences are translated side by side: more are no faster.
const BATCH: usize = 256;

/// What may be written. [`END`] always may, and what the source of a network that copies holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    /// For each token of the vocabulary, whether it may: those that training has seen in targets.
    pub tokens: Vec<bool>,
    /// Placeholders: of these only what the source holds, so that a translation can always be filled in.
    pub copied: Range<Token>,
}

/// A translated sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct Translation {
    /// Without [`END`].
    pub tokens: Vec<Token>,
    /// The least probability of a written token, [`END`] among them. It is the network's own: what may not be written has its share in
    /// it, so that a forbidden favourite lowers the confidence. 0 where it did not end.
    pub confidence: f32,
    /// Whether the network ended it, or was stopped because it wrote too much.
    pub ended: bool,
}

impl Translation {
    /// Whether it is complete, and holds its least likely token for at least so likely, to four digits: the last ones depend on
    /// what else was translated at the same time.
    pub fn is_sure(&self, threshold: f32) -> bool {
        let digits = |share: f32| (share * 1e4).round();
        self.ended && digits(self.confidence) >= digits(threshold)
    }
}

/// A network that translates. What depends on a token alone is worked out once for all.
pub struct Decoder<N> {
    network: N,
    allowed: Allowed,
    /// How many tokens a translation may have, whatever its source.
    most: usize,
    /// To be added to logits: 0 for what any translation may hold, minus infinity for the rest.
    mask: Vec<f32>,
    /// What each token adds to the gates of the encoder, and of the decoder.
    to_read: Vec<f32>,
    to_write: Vec<f32>,
}

/// Room for a step.
#[derive(Default)]
struct Room {
    gates: Vec<f32>,
    candidates: Vec<f32>,
    logits: Vec<f32>,
    masked: Vec<f32>,
    memory: Memory,
    look: Look,
}

/// A translation under way.
struct Row {
    which: usize,
    last: Token,
}

impl<N: Deref<Target = Network>> Decoder<N> {
    /// # Panics
    ///
    /// When `allowed` does not speak of each token.
    pub fn new(network: N, allowed: Allowed) -> Decoder<N> {
        let layout = network.layout();
        assert_eq!(allowed.tokens.len(), network.shape().vocabulary, "each token is allowed or not");
        let inputs = |cell| {
            let mut inputs = Vec::new();
            Unit::new(&network, cell).inputs(network.values(&layout.embedding), &mut inputs);
            inputs
        };
        let common = |token: usize| allowed.tokens[token] && !allowed.copied.contains(&(token as Token));
        let free = |token: usize| token == usize::from(END) || common(token);
        let mask = (0..allowed.tokens.len()).map(|token| if free(token) { 0.0 } else { f32::NEG_INFINITY });
        Decoder {
            most: usize::MAX,
            mask: mask.collect(),
            to_read: inputs(&layout.encoder),
            to_write: inputs(&layout.decoder),
            network,
            allowed,
        }
    }

    /// No translation has more tokens than this, besides that none has more than twice its source's and 8.
    #[must_use]
    pub fn at_most(self, most: usize) -> Decoder<N> {
        Decoder { most, ..self }
    }

    /// The translation of each source. A source that is there twice is translated once.
    ///
    /// # Panics
    ///
    /// When a source holds a token that the network does not know.
    pub fn translate(&self, sources: &[&[Token]]) -> Vec<Translation> {
        let mut order: Vec<usize> = (0..sources.len()).collect();
        order.sort_by_key(|&place| sources[place]);
        let mut distinct: Vec<&[Token]> = order.iter().map(|&place| sources[place]).collect();
        distinct.dedup();
        let mut room = Room::default();
        let chunks = distinct.chunks(BATCH);
        let translations: Vec<Translation> = chunks.flat_map(|chunk| self.batch(chunk, &mut room)).collect();
        let find =
            |source: &&[Token]| distinct.binary_search(source).expect("each source is among the distinct");
        sources.iter().map(|source| translations[find(source)].clone()).collect()
    }

    /// Of sources in order, none twice.
    fn batch(&self, sources: &[&[Token]], room: &mut Room) -> Vec<Translation> {
        let hidden = self.network.shape().hidden;
        let unit = Unit::new(&self.network, &self.network.layout().decoder);
        let copying = self.network.layout().copying.as_ref();
        let mut state = match copying {
            None => self.encode(sources, room),
            Some(copying) => self.remember(copying, sources, room),
        };
        let begun = Translation { tokens: Vec::new(), confidence: 1.0, ended: false };
        let mut translations = vec![begun; sources.len()];
        let mut rows: Vec<Row> = (0..sources.len()).map(|which| Row { which, last: END }).collect();
        while !rows.is_empty() {
            let slots: Vec<u32> = rows.iter().map(|row| u32::from(row.last)).collect();
            room.step(&unit, &self.to_write, &slots, &mut state);
            match copying {
                None => logits(&self.network, &state, &mut room.logits),
                Some(copying) => {
                    let written = rows.iter().map(|row| (row.which, &translations[row.which].tokens[..]));
                    self.mixture(copying, &state, written, room);
                }
            }
            for place in (0..rows.len()).rev() {
                let Row { which, last } = &mut rows[place];
                let logits = &mut room.logits[place * self.mask.len()..][..self.mask.len()];
                let (token, probability) = self.choose(sources[*which], logits, &mut room.masked);
                *last = token;
                let most = self.most.min(2 * sources[*which].len() + 8);
                if !translations[*which].goes_on(token, probability, most) {
                    rows.swap_remove(place);
                    let end = rows.len() * hidden;
                    state.copy_within(end..end + hidden, place * hidden);
                    state.truncate(end);
                }
            }
        }
        translations
    }

    /// The encoder's last state for each source. Neighbours in order begin alike: a beginning that they share is read once.
    fn encode(&self, sources: &[&[Token]], room: &mut Room) -> Vec<f32> {
        let hidden = self.network.shape().hidden;
        let unit = Unit::new(&self.network, &self.network.layout().encoder);
        let shared: Vec<usize> = (0..sources.len())
            .map(|row| if row == 0 { 0 } else { alike(sources[row - 1], sources[row]) })
            .collect();
        let mut ends = vec![0.0; sources.len() * hidden];
        // One beginning, the empty one, which all rows have.
        let mut state = vec![0.0; hidden];
        let mut beginning_of = vec![0; sources.len()];
        for depth in 0.. {
            let mut next = Vec::new();
            let mut slots: Vec<u32> = Vec::new();
            for (row, source) in sources.iter().enumerate().filter(|(_, source)| source.len() > depth) {
                if row == 0 || shared[row] <= depth {
                    next.extend_from_slice(&state[beginning_of[row] * hidden..][..hidden]);
                    slots.push(u32::from(source[depth]));
                }
                beginning_of[row] = slots.len() - 1;
            }
            if slots.is_empty() {
                break;
            }
            state = next;
            room.step(&unit, &self.to_read, &slots, &mut state);
            for row in (0..sources.len()).filter(|&row| sources[row].len() == depth + 1) {
                let end = &state[beginning_of[row] * hidden..][..hidden];
                ends[row * hidden..][..hidden].copy_from_slice(end);
            }
        }
        ends
    }

    /// Reads in both directions. The state that each translation begins with.
    fn remember(&self, copying: &Copying, sources: &[&[Token]], room: &mut Room) -> Vec<f32> {
        let directions = Directions::new(sources);
        let (mut last, mut state) = (Vec::new(), Vec::new());
        room.memory.read(&self.network, copying, sources, &directions, &mut last);
        let order: Vec<usize> = (0..sources.len()).collect();
        move_rows(&directions.forward.order, &last, &order, &mut state);
        state
    }

    /// For each row the logarithms of probabilities, those of copies among them, in the place of the logits.
    fn mixture<'t>(
        &self,
        copying: &Copying,
        state: &[f32],
        written: impl Iterator<Item = (usize, &'t [Token])> + Clone,
        room: &mut Room,
    ) {
        let hidden = self.network.shape().hidden;
        let copier = Copier::new(&self.network, copying);
        let Room { memory, look, logits: into, .. } = room;
        copier.look(memory, state, written.clone(), look);
        logits(&self.network, &look.mixed, into);
        let rows = into.chunks_exact_mut(self.mask.len()).zip(look.mixed.chunks_exact(hidden));
        for (place, ((row, mixed), (which, _))) in rows.zip(written).enumerate() {
            let gate = copier.gate(mixed);
            let most = greatest(row);
            let share = gate / exp_all(row, most);
            for value in row.iter_mut() {
                *value *= share;
            }
            let source = &memory.tokens[memory.spots(which)];
            for (&token, share) in source.iter().zip(look.shares_of(place)) {
                row[usize::from(token)] += (1.0 - gate) * share;
            }
            for value in row {
                *value = value.ln();
            }
        }
    }

    /// The likeliest token of those that may be written, and its probability among all. The logits are used up.
    fn choose(&self, source: &[Token], logits: &mut [f32], masked: &mut Vec<f32>) -> (Token, f32) {
        masked.clear();
        masked.extend(logits.iter().zip(&self.mask).map(|(logit, mask)| logit + mask));
        // To copy a token, a network need not have seen it in targets.
        let copies = self.network.shape().copies;
        for &token in source {
            if copies || (self.allowed.copied.contains(&token) && self.allowed.tokens[usize::from(token)]) {
                masked[usize::from(token)] = logits[usize::from(token)];
            }
        }
        let best = greatest(masked);
        // Without any number to compare (a network gone wrong), it ends, without confidence.
        let Some(token) = masked.iter().position(|&logit| logit >= best) else {
            return (END, 0.0);
        };
        let most = greatest(logits);
        (token as Token, exp(best - most) / exp_all(logits, most))
    }
}

impl Room {
    fn step(&mut self, unit: &Unit<'_>, inputs: &[f32], slots: &[u32], state: &mut [f32]) {
        self.gates.resize(3 * state.len(), 0.0);
        self.candidates.resize(state.len(), 0.0);
        unit.step(inputs, slots, &mut self.gates, &mut self.candidates, state);
    }
}

impl Translation {
    /// Takes the next token. Whether more is to come.
    fn goes_on(&mut self, token: Token, probability: f32, most: usize) -> bool {
        self.confidence = self.confidence.min(probability);
        self.ended = token == END;
        if self.ended {
            return false;
        }
        self.tokens.push(token);
        let stopped = self.tokens.len() >= most;
        if stopped {
            self.confidence = 0.0;
        }
        !stopped
    }
}

/// How many tokens both begin with.
fn alike(one: &[Token], other: &[Token]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::super::{Pair, Shape, loss};
    use super::*;

    const COPIED: Range<Token> = 10..20;

    fn networks() -> [Network; 2] {
        [false, true].map(network)
    }

    fn network(copies: bool) -> Network {
        let mut network = Network::new(Shape { vocabulary: 24, hidden: 16, copies }, 3);
        // Large weights, so that an untrained network has opinions, and ends some sequences.
        network.parameters_mut().iter_mut().for_each(|value| *value *= 3.0);
        network
    }

    fn allowed() -> Allowed {
        Allowed { tokens: (0..24).map(|token| token != 5 && token != 12).collect(), copied: COPIED }
    }

    fn sources(count: usize) -> Vec<Vec<Token>> {
        let mut random = Random::new(8);
        let mut source = |place: usize| (0..place % 9).map(|_| 1 + random.below(23) as Token).collect();
        (0..count).map(&mut source).collect()
    }

    fn borrowed(sources: &[Vec<Token>]) -> Vec<&[Token]> {
        sources.iter().map(|source| &source[..]).collect()
    }

    #[test]
    fn only_what_is_allowed_is_written() {
        for network in networks() {
            let decoder = Decoder::new(&network, allowed());
            let sources = sources(700);
            let translations = decoder.translate(&borrowed(&sources));
            let mut placeholders = 0;
            for (source, translation) in sources.iter().zip(&translations) {
                for token in &translation.tokens {
                    let copied = network.shape().copies && source.contains(token);
                    assert!(copied || !matches!(token, 0 | 5 | 12));
                    assert!(
                        !COPIED.contains(token) || source.contains(token),
                        "{token} is not in {source:?}"
                    );
                    placeholders += usize::from(COPIED.contains(token));
                }
                assert!(translation.tokens.len() <= 2 * source.len() + 8);
                assert!(translation.ended || translation.confidence.abs() < 1e-9);
            }
            assert!(placeholders > 0);
            let ended = translations.iter().filter(|translation| translation.ended).count();
            // One that copies comes to the end of its source sooner or later.
            let copies = network.shape().copies;
            assert!(0 < ended && (copies || ended < translations.len()), "{ended} ended");
        }
    }

    #[test]
    fn neighbours_have_no_say() {
        for network in networks() {
            let decoder = Decoder::new(&network, allowed());
            let sources = sources(600);
            let together = decoder.translate(&borrowed(&sources));
            assert_eq!(together.len(), sources.len());
            for (source, together) in sources.iter().zip(&together) {
                let alone = &decoder.translate(&[source])[0];
                assert_eq!((&alone.tokens, alone.ended), (&together.tokens, together.ended));
                assert!((alone.confidence - together.confidence).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn nothing_and_empty_sources_are_translated() {
        for network in networks() {
            let decoder = Decoder::new(&network, allowed());
            assert_eq!(decoder.translate(&[]), []);
            assert_eq!(decoder.translate(&[&[], &[]]).len(), 2);
        }
    }

    /// The same network as in training, by another way: an empty translation costs what its confidence says.
    #[test]
    fn confidence_agrees_with_the_loss() {
        networks().into_iter().for_each(compare);
    }

    fn compare(mut network: Network) {
        let end = network.layout().output_bias.range.start + usize::from(END);
        network.parameters_mut()[end] += 20.0;
        let decoder = Decoder::new(&network, Allowed { tokens: vec![true; 24], copied: 0..0 });
        let sources = sources(200);
        let mut compared = 0;
        for (source, translation) in sources.iter().zip(decoder.translate(&borrowed(&sources))) {
            if translation.ended && translation.tokens.is_empty() {
                let pair = Pair { source: source.clone(), target: vec![], weight: 1.0 };
                assert!((loss(&network, &[pair]) + translation.confidence.ln()).abs() < 1e-4);
                compared += 1;
            }
        }
        assert!(compared > 0);
    }
}
