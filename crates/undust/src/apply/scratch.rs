//! The caller-owned buffers of the compiled engine: with them, canonicalizing allocates nothing.

use crate::url::SplitUrl;

/// A byte range of the current URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Span {
    /// Where `part`, a slice of `raw`, stands in it.
    pub(super) fn of(raw: &[u8], part: &[u8]) -> Span {
        let start = part.as_ptr() as usize - raw.as_ptr() as usize;
        Span { start: start as u32, end: (start + part.len()) as u32 }
    }

    pub(super) fn of_raw(self, raw: &[u8]) -> &[u8] {
        &raw[self.start as usize..self.end as usize]
    }

    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// Where one parameter stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParamSpan {
    pub(super) name: Span,
    pub(super) value: Option<Span>,
}

impl ParamSpan {
    /// `name=value`
    pub(super) fn whole(self) -> Span {
        Span { start: self.name.start, end: self.value.map_or(self.name.end, |v| v.end) }
    }
}

/// Buffers for canonicalizing; make one per thread and reuse it for every URL.
///
/// ```
/// use undust::{Canonicalizer, Form, RuleSet, Scratch};
///
/// let canonicalizer = Canonicalizer::new(&RuleSet::default(), Form::Key)?;
/// let mut scratch = Scratch::new();
/// for url in ["HTTP://example.com", "http://example.com:80/#top"] {
///     assert_eq!(canonicalizer.canonicalize_str(url, &mut scratch), "http://example.com/");
/// }
/// # Ok::<(), undust::CompileError>(())
/// ```
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) labels: Vec<Span>,
    pub(super) segments: Vec<Span>,
    pub(super) params: Vec<ParamSpan>,
    /// The separator between the URL's first two parameters.
    pub(super) own_separator: u8,
    pub(super) fragment: Option<Span>,
    /// The captures of the current rule.
    pub(super) slots: Vec<Span>,
    pub(super) host_rest: Option<Span>,
    pub(super) path_rest: Option<Span>,
    /// The parameters that the current rule names.
    pub(super) named: Vec<u32>,
    pub(super) order: Vec<u32>,
    /// Rules that may fire on the current URL.
    pub(super) candidates: Vec<u32>,
    /// The result of a rule, and the URL it is run on.
    pub(super) out: Vec<u8>,
    pub(super) current: Vec<u8>,
}

impl Scratch {
    /// Empty buffers.
    ///
    /// ```
    /// let scratch = undust::Scratch::new();
    /// # drop(scratch);
    /// ```
    pub fn new() -> Scratch {
        Scratch::default()
    }

    /// Note where the components of `url` stand; host labels only if some rule asks for them.
    ///
    /// One plain loop over the bytes: components are so short that looking for each delimiter apart takes longer.
    pub(super) fn lay_out(&mut self, url: &SplitUrl, labels: bool) {
        let raw = url.raw();
        self.labels.clear();
        if labels {
            self.labels.extend(url.labels().map(|label| Span::of(raw, label)));
        }
        self.segments.clear();
        let path = url.path();
        if !path.is_empty() {
            let base = Span::of(raw, path).start;
            let mut start = 1;
            for (at, byte) in path.iter().enumerate().skip(1) {
                if *byte == b'/' {
                    self.segments.push(Span { start: base + start, end: base + at as u32 });
                    start = at as u32 + 1;
                }
            }
            self.segments.push(Span { start: base + start, end: base + path.len() as u32 });
        }
        self.params.clear();
        self.own_separator = b'&';
        if let Some(query) = url.query().filter(|query| !query.is_empty()) {
            self.lay_out_params(raw, Span::of(raw, query));
        }
        self.fragment = url.fragment().map(|f| Span::of(raw, f));
    }

    fn lay_out_params(&mut self, raw: &[u8], query: Span) {
        let (mut start, mut equals) = (query.start, None);
        let param = |start: u32, equals: Option<u32>, end: u32| match equals {
            None => ParamSpan { name: Span { start, end }, value: None },
            Some(at) => ParamSpan { name: Span { start, end: at }, value: Some(Span { start: at + 1, end }) },
        };
        for (at, byte) in (start..).zip(query.of_raw(raw)) {
            match byte {
                b'=' if equals.is_none() => equals = Some(at),
                separator @ (b'&' | b';') => {
                    if self.params.is_empty() {
                        self.own_separator = *separator;
                    }
                    self.params.push(param(start, equals, at));
                    (start, equals) = (at + 1, None);
                }
                _ => {}
            }
        }
        self.params.push(param(start, equals, query.end));
    }
}
