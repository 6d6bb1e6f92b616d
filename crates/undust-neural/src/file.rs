//! The model file: networks as safetensors, everything else as JSON, which is a tensor of bytes among them. (The header of the format has room for
//! text, too, but not for that of thousands of sites.)

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, View, serialize};
use serde::{Deserialize, Serialize};

use crate::model::{Known, Model, Report, TrustedDecoder};
use crate::network::{BadTensor, Network, Shape, Token as Id};
use undust_learn::learn::seq2seq::tokens::Delimiters;
use undust_learn::learn::seq2seq::vocabulary::{MAX_WORDS, Template, Vocabulary, Word};

/// The version of the format that this release writes, and the only one it reads.
pub const VERSION: u32 = 1;

/// The name of the tensor with everything else; no site is called so.
const HEADER: &str = "undust-model";

/// Networks are not larger than this: numbers in a file decide how much memory is asked for.
const MAX_HIDDEN_UNITS: usize = 4096;

/// The models of several sites.
pub type Models = BTreeMap<String, Model>;

/// Why bytes are not a model file.
#[derive(Debug)]
pub enum ModelError {
    /// Not the format of tensors.
    Tensors(SafeTensorError),
    /// Without our header.
    NoHeader,
    /// A header that is not ours.
    Header(serde_json::Error),
    /// Another version of the format.
    Version(u32),
    /// A network that lacks something.
    Network {
        /// Of which site.
        site: String,
        /// What.
        tensor: BadTensor,
    },
    /// Something of a site that does not fit.
    Site {
        /// Of which site.
        site: String,
        /// What.
        what: &'static str,
    },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::Tensors(error) => write!(f, "not a model file: {error}"),
            ModelError::NoHeader => write!(f, "not a model file of undust: its header has no '{HEADER}'"),
            ModelError::Header(error) => write!(f, "the header '{HEADER}': {error}"),
            ModelError::Version(found) => {
                write!(f, "the model file has version {found}; this release reads version {VERSION}")
            }
            ModelError::Network { site, tensor } => write!(f, "the network of site '{site}': {tensor}"),
            ModelError::Site { site, what } => write!(f, "site '{site}': {what}"),
        }
    }
}

impl std::error::Error for ModelError {}

#[derive(Serialize, Deserialize)]
struct Header {
    version: u32,
    sites: Vec<FileSite>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSite {
    site: String,
    delimiters: String,
    words: Vec<Word>,
    known: Vec<(Template, Known)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    network: Option<FileNetwork>,
    report: Report,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileNetwork {
    hidden: usize,
    copies: bool,
    threshold: f32,
    printable: BTreeSet<Id>,
}

/// What must be readable before anything else is believed.
#[derive(Deserialize)]
struct Head {
    version: u32,
}

/// Models as the bytes of a file; the same models are always the same bytes.
#[expect(clippy::missing_panics_doc, reason = "plain data always serializes")]
pub fn to_bytes(models: &Models) -> Vec<u8> {
    let header = Header { version: VERSION, sites: models.iter().map(write_site).collect() };
    let header = serde_json::to_string(&header).expect("plain data always serializes");
    let header = Values::Bytes([header.len()], header.into_bytes());
    let networks = models.iter().flat_map(|(site, model)| {
        let tensors = model.speaker.iter().flat_map(|speaker| speaker.network.tensors());
        tensors.map(move |(name, dimensions, values)| {
            (tensor_name(site, name), Values::Numbers(dimensions, values))
        })
    });
    let all = networks.chain([(HEADER.to_owned(), header)]);
    serialize(all, None).expect("names are distinct, and dimensions fit")
}

/// Read a model file.
pub fn from_bytes(bytes: &[u8]) -> Result<Models, ModelError> {
    let tensors = SafeTensors::deserialize(bytes).map_err(ModelError::Tensors)?;
    let header = tensors.tensor(HEADER).map_err(|_| ModelError::NoHeader)?.data();
    let head: Head = serde_json::from_slice(header).map_err(ModelError::Header)?;
    if head.version != VERSION {
        return Err(ModelError::Version(head.version));
    }
    let header: Header = serde_json::from_slice(header).map_err(ModelError::Header)?;
    let mut models = Models::new();
    for file in header.sites {
        let site = file.site.clone();
        if models.insert(site.clone(), read_site(file, &tensors)?).is_some() {
            return Err(ModelError::Site { site, what: "it stands in the file twice" });
        }
    }
    Ok(models)
}

fn tensor_name(site: &str, tensor: &str) -> String {
    format!("{site}/{tensor}")
}

fn write_site((site, model): (&String, &Model)) -> FileSite {
    let network = model.speaker.as_ref().map(|speaker| FileNetwork {
        hidden: speaker.network.shape().hidden,
        copies: speaker.network.shape().copies,
        threshold: speaker.threshold,
        printable: speaker.printable.clone(),
    });
    FileSite {
        site: site.clone(),
        delimiters: String::from_utf8_lossy(model.vocabulary.delimiters().others()).into_owned(),
        words: model.vocabulary.words().to_vec(),
        known: model.known.iter().map(|(template, known)| (template.clone(), known.clone())).collect(),
        network,
        report: model.report.clone(),
    }
}

fn read_site(file: FileSite, tensors: &SafeTensors) -> Result<Model, ModelError> {
    let FileSite { site, delimiters, words, known, network, report } = file;
    let wrong = |what| ModelError::Site { site: site.clone(), what };
    let distinct: BTreeSet<&str> = words.iter().map(|word| word.text.as_str()).collect();
    if distinct.len() != words.len() || words.len() > MAX_WORDS {
        return Err(wrong("there are too many words, or one twice"));
    }
    let delimiters = Delimiters::new(delimiters.as_bytes());
    if !words.iter().all(|word| delimiters.is_text(word.text.as_bytes()) || !word.places[2]) {
        return Err(wrong("a word is empty, or holds a delimiter"));
    }
    let vocabulary = Vocabulary::new(delimiters, words);
    let fits = |(template, known): &(Template, Known)| {
        vocabulary.fits(template, template)
            && known.output.as_ref().is_none_or(|output| vocabulary.fits(template, output))
    };
    if !known.iter().all(fits) {
        return Err(wrong("a template holds what is no word of the site, or becomes what is no URL"));
    }
    if network.as_ref().is_some_and(|network| !(1..=MAX_HIDDEN_UNITS).contains(&network.hidden)) {
        return Err(wrong("the network has no size that it can have"));
    }
    let speaker = network.map(|FileNetwork { hidden, copies, threshold, printable }| {
        let shape = Shape { vocabulary: vocabulary.size(), hidden, copies };
        let get = |name: &str| read_values(tensors, &tensor_name(&site, name));
        let network = Network::from_tensors(shape, get)?;
        Ok(TrustedDecoder { network: network.into(), threshold, printable })
    });
    let speaker = speaker.transpose().map_err(|tensor| ModelError::Network { site, tensor })?;
    Ok(Model { vocabulary, known: known.into_iter().collect(), speaker, report })
}

fn read_values(tensors: &SafeTensors, name: &str) -> Option<Vec<f32>> {
    let tensor = tensors.tensor(name).ok().filter(|tensor| tensor.dtype() == Dtype::F32)?;
    let value = |bytes: &[u8]| Some(f32::from_le_bytes(bytes.try_into().ok()?));
    tensor.data().chunks_exact(4).map(value).collect()
}

/// What one tensor holds, as it is written.
enum Values<'n> {
    Numbers(Vec<usize>, &'n [f32]),
    Bytes([usize; 1], Vec<u8>),
}

impl View for Values<'_> {
    fn dtype(&self) -> Dtype {
        match self {
            Values::Numbers(..) => Dtype::F32,
            Values::Bytes(..) => Dtype::U8,
        }
    }

    fn shape(&self) -> &[usize] {
        match self {
            Values::Numbers(dimensions, _) => dimensions,
            Values::Bytes(length, _) => length,
        }
    }

    fn data(&self) -> Cow<'_, [u8]> {
        match self {
            Values::Numbers(_, values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            Values::Bytes(_, bytes) => Cow::Borrowed(bytes),
        }
    }

    fn data_len(&self) -> usize {
        match self {
            Values::Numbers(_, values) => 4 * values.len(),
            Values::Bytes(_, bytes) => bytes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models() -> Models {
        let word = |text: &str, places| Word { text: text.to_owned(), count: 1, places };
        let words = vec![
            word("a.com", [false, true, false]),
            word("http:", [true, false, false]),
            word("x", [false, false, true]),
        ];
        let vocabulary = Vocabulary::new(Delimiters::new(b":"), words);
        let mut reading = undust_learn::learn::seq2seq::vocabulary::Reading::default();
        let mut template = |url: &str| {
            assert!(vocabulary.read(url.as_bytes(), &mut reading));
            reading.template.clone()
        };
        let output = Some(template("http://a.com/1"));
        let known = Known { output, urls: 3, trials: 2, wrong: 1 };
        let known = BTreeMap::from([(template("http://a.com/x/1?x=2"), known)]);
        let shape = Shape { vocabulary: vocabulary.size(), hidden: 3, copies: true };
        let network = Network::new(shape, 1).into();
        let speaker = Some(TrustedDecoder { network, threshold: 0.9, printable: BTreeSet::from([26]) });
        let report = Report { urls: 3, silent: None, ..Report::default() };
        Models::from([("a.com".to_owned(), Model { vocabulary, known, speaker, report })])
    }

    #[test]
    fn models_come_back() {
        let bytes = to_bytes(&models());
        let read = from_bytes(&bytes).expect("a model file");
        assert_eq!(to_bytes(&read), bytes);
        let (model, written) = (&read["a.com"], &models()["a.com"]);
        assert_eq!((&model.known, &model.report), (&written.known, &written.report));
        assert_eq!(model.vocabulary.words(), written.vocabulary.words());
    }

    /// The file with one piece of its text replaced by one of the same length, the tensors in place.
    fn with(from: &str, to: &str) -> Result<Models, ModelError> {
        assert_eq!(from.len(), to.len());
        let mut bytes = to_bytes(&models());
        let place = bytes.windows(from.len()).position(|at| at == from.as_bytes()).expect(from);
        bytes[place..place + to.len()].copy_from_slice(to.as_bytes());
        from_bytes(&bytes)
    }

    #[track_caller]
    fn refused(from: &str, to: &str, expected: &str) {
        let error = with(from, to).err().expect("an error").to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(with("\"urls\":3", "\"urls\":4").is_ok());
        refused("\"version\":1", "\"version\":2", "version 2; this release reads version 1");
        refused("\"hidden\":3", "\"hidden\":4", "the network of site 'a.com': the tensor");
        refused("\"hidden\":3", "\"hidden\":0", "no size that it can have");
        refused("\"copies\":true", "\"copies\":1234", "the header");
        refused("\"text\":\"x\"", "\"text\":\":\"", "holds a delimiter");
        refused("\"text\":\"http:\"", "\"text\":\"a.com\"", "one twice");
        refused("\"output\":[33", "\"output\":[99", "a template holds what is no word");
        refused("a.com/embedding", "b.com/embedding", "`embedding` is missing");
    }

    #[test]
    fn cut_and_damaged_files_are_refused() {
        let bytes = to_bytes(&models());
        for length in 0..bytes.len() {
            assert!(from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        for at in 0..bytes.len().min(2000) {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x11;
            // Whatever comes of it, nothing breaks.
            _ = from_bytes(&bytes);
        }
        assert!(matches!(from_bytes(b"no model"), Err(ModelError::Tensors(_))));
    }
}
