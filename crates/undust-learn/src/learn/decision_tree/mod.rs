//! `decision-tree`: H. S. Koppula et al., "Learning URL Patterns for Webpage De-duplication", WSDM 2010.

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the learner that reads the deep tokens is not written yet")
)]
mod deep;
