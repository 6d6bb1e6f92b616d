//! nginx: one `map` from the URL asked for to the one it is redirected to.

use crate::Written;
use crate::dialect::{NGINX, quoted};
use crate::in_force::{InForce, sort_out};

const HEAD: &str = "\
# In the http block. In each server block that is to redirect:
#   if ($undust_canonical) { return 301 $undust_canonical; }
map \"$scheme://$http_host$request_uri\" $undust_canonical {
    default \"\";
";

pub(crate) fn export(rules: &[InForce]) -> Written {
    let (said, left_out) = sort_out(rules, |rule| NGINX.write(rule));
    let mut lines = vec![HEAD.to_owned()];
    for (rule, regexes) in said {
        lines.push(format!("    # {}: rule {}\n", rule.site, rule.id()));
        for (pattern, replacement) in regexes {
            lines.push(format!("    {} {};\n", quoted(&format!("~{pattern}")), quoted(&replacement)));
        }
    }
    lines.push("}\n".to_owned());
    Written { text: lines.concat(), left_out }
}
