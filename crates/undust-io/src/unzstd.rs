//! zstd, behind the feature of that name: it is written in C, which takes a while to compile. Without the feature, compressed input is
//! recognised all the same, and refused with an error that says so.

#[cfg(feature = "zstd")]
pub(crate) use decoder::{body, frames, with_dictionary};
#[cfg(not(feature = "zstd"))]
pub(crate) use refusal::{body, frames, with_dictionary};

/// How a frame begins.
pub(crate) const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// More than any trained dictionary has; they are said to be best at about 100 KB.
#[cfg(any(test, feature = "zstd"))]
pub(crate) const MAX_DICTIONARY_BYTES: u64 = 16 * 1024 * 1024;

#[cfg(feature = "zstd")]
mod decoder {
    use std::io::{self, BufReader, Read};

    use zstd::stream::read::Decoder;

    use super::{MAX_DICTIONARY_BYTES, ZSTD};

    /// How a dictionary begins.
    const DICTIONARY: [u8; 4] = [0x37, 0xa4, 0x30, 0xec];

    /// As RFC 9659 has it for the web, whatever a frame asks for: 8 MiB.
    const BODY_WINDOW_LOG: u32 = 23;

    /// The plain bytes of a file of any number of frames.
    pub(crate) fn frames(source: impl Read) -> io::Result<impl Read> {
        Decoder::new(source)
    }

    /// The plain bytes of the body of an HTTP response.
    pub(crate) fn body(data: &[u8]) -> io::Result<impl Read> {
        let mut decoder = Decoder::with_buffer(data)?;
        decoder.window_log_max(BODY_WINDOW_LOG)?;
        Ok(decoder)
    }

    /// A zstd file whose first frame holds the dictionary that all others need, itself compressed or not, as the IIPC has it.
    pub(crate) fn with_dictionary(mut source: impl Read) -> io::Result<impl Read> {
        let mut frame_head = [0; 8];
        source.read_exact(&mut frame_head)?;
        let [_, _, _, _, length @ ..] = frame_head;
        let length = u64::from(u32::from_le_bytes(length));
        let mut dictionary = at_most_a_dictionary(source.by_ref().take(length))?;
        if dictionary.len() as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if dictionary.starts_with(&ZSTD) {
            dictionary = at_most_a_dictionary(Decoder::new(dictionary.as_slice())?)?;
        }
        // Frames of this kind may also hold other things, which are of no use here.
        if !dictionary.starts_with(&DICTIONARY) {
            dictionary.clear();
        }
        Decoder::with_dictionary(BufReader::with_capacity(1 << 16, source), &dictionary)
    }

    fn at_most_a_dictionary(source: impl Read) -> io::Result<Vec<u8>> {
        let mut dictionary = Vec::new();
        source.take(MAX_DICTIONARY_BYTES + 1).read_to_end(&mut dictionary)?;
        if dictionary.len() as u64 > MAX_DICTIONARY_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the zstd dictionary is larger than 16 MiB",
            ));
        }
        Ok(dictionary)
    }
}

#[cfg(not(feature = "zstd"))]
mod refusal {
    use std::io::{self, Empty, Error, ErrorKind};

    fn refuse() -> io::Result<Empty> {
        Err(Error::new(ErrorKind::Unsupported, "this build has no zstd: build with --features zstd"))
    }

    pub(crate) fn frames<R>(_: R) -> io::Result<Empty> {
        refuse()
    }

    pub(crate) fn with_dictionary<R>(_: R) -> io::Result<Empty> {
        refuse()
    }

    pub(crate) fn body(_: &[u8]) -> io::Result<Empty> {
        refuse()
    }
}
