//! Shares, as all options that take one read them: `0.01` or `1%`.

use undust_learn::learn::rewrite::FilterKind;

/// A share between 0 and 1, as a number or as a per cent.
///
/// A negative one is read, too (options allow that), so that it is refused as what it is and not as an unknown option.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let number = |number: &str| number.parse::<f64>().ok().filter(|value| value.is_finite());
    let value = match text.strip_suffix('%').map(str::trim_end) {
        // Shifted by the parser: 0.7% is 0.007 to the last digit, which 0.7 / 100 is not.
        Some(percent) => number(percent).and_then(|_| number(&format!("{percent}e-2"))),
        None => number(text),
    };
    match value {
        None => Err(format!("'{text}' is not a share such as 0.01 or 1%")),
        Some(share) if (0.0..=1.0).contains(&share) => Ok(share),
        Some(_) if text.ends_with('%') => Err(format!("{text} is not between 0% and 100%")),
        Some(share) if share > 1.0 && share <= 100.0 => {
            Err(format!("{text} is not between 0 and 1; {text} per cent is {text}%"))
        }
        Some(_) => Err(format!("{text} is not between 0 and 1")),
    }
}

/// A filter of the learner rewrite, whose parameter may be a share.
pub(super) fn filter(text: &str) -> Result<FilterKind, String> {
    let Some((kind, percent)) = text.split_once(':').filter(|(_, value)| value.ends_with('%')) else {
        return text.parse();
    };
    format!("{kind}:{}", share(percent)?).parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_per_cents_are_the_same_shares() {
        for (percent, number) in
            [("1%", 0.01), ("0.7%", 0.007), ("100 %", 1.0), ("0%", 0.0), (".5%", 0.005), ("2.5%", 0.025)]
        {
            assert_eq!(share(percent), Ok(number), "{percent}");
            assert_eq!(share(&number.to_string()), Ok(number));
        }
        assert_eq!(share("1e-3"), Ok(0.001));
        assert_eq!(filter("entropy:80%"), Ok(FilterKind::Entropy(0.8)));
        assert_eq!(filter("fan-out:5"), Ok(FilterKind::FanOut(5)));
    }

    #[test]
    fn nonsense_is_refused_with_a_reason() {
        let refused =
            ["1.5", "250", "-1", "-1%", "150%", "abc%", "%", "", "1%%", "nan", "inf", "1e1%"].map(share);
        let refused: Vec<String> = refused.into_iter().filter_map(Result::err).collect();
        insta::assert_snapshot!(refused.join("\n"), @"
        1.5 is not between 0 and 1; 1.5 per cent is 1.5%
        250 is not between 0 and 1
        -1 is not between 0 and 1
        -1% is not between 0% and 100%
        150% is not between 0% and 100%
        'abc%' is not a share such as 0.01 or 1%
        '%' is not a share such as 0.01 or 1%
        '' is not a share such as 0.01 or 1%
        '1%%' is not a share such as 0.01 or 1%
        'nan' is not a share such as 0.01 or 1%
        'inf' is not a share such as 0.01 or 1%
        '1e1%' is not a share such as 0.01 or 1%
        ");
        assert!(filter("entropy:150%").is_err() && filter("fan-out:5%").is_err());
    }
}
