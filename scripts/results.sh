#!/bin/sh
# The experiments of the papers on labelled sets, as one Markdown file. What is fixed stands in docs/results/, the tables come from the run.
# results.sh UNDUST DATA METHODS OUTPUT
set -eu

undust=$1 data=$2 methods=$3 output=$4
texts=$(dirname "$0")/../docs/results

# gitweb and DokuWiki of html/ come with reference clusters, beside their pages.
set --
for set in "$data"/sites/*.tsv.gz "$data"/docs/*.tsv.gz "$data"/redirects/*.tsv.gz "$data"/html/*.tsv.gz; do
    [ -e "$set" ] && set -- "$@" "$set"
done
if [ $# -eq 0 ]; then
    echo "results: no labelled sets in $data: name a folder with sites/*.tsv.gz (make results DATA=folder)" >&2
    exit 2
fi

# In WWW 2010 rewrite goes by its fan-out; rules of dustbuster, which are also among those of auto, enable each other, and choosing among them takes
# minutes a site.
others=$(echo "$methods" | tr , '\n' | grep -v -x -e dustbuster -e rewrite -e auto | paste -s -d , -)

draft=$(mktemp)
trap 'rm -f "$draft"' EXIT

# section PROTOCOL [OPTION...]: the text about a paper, the command, and what it prints.
section() {
    protocol=$1
    shift
    echo "results: $protocol ($(date +%T))" >&2
    cat "$texts/$protocol.md"
    printf '\n```sh\nundust eval --markdown --protocol %s' "$protocol"
    for option in "$@"; do
        case $option in
        "$data"/*) ;;
        *" "*) printf ' "%s"' "$option" ;;
        *) printf ' %s' "$option" ;;
        esac
    done
    printf ' ...\n```\n\n'
    "$undust" eval --markdown --protocol "$protocol" "$@"
    echo
}

{
    cat "$texts/introduction.md"
    echo
    section www07 --top 100 --methods "$methods" "$@"
    section kdd08 --methods "fan-out 10,fan-out 30,$methods" "$@"
    section wsdm10 --methods "$methods" "$@"
    section www10 --methods "fan-out 5,fan-out 10,$others" "$@"
    section sigir17 --methods "keep-all,$methods" "$@"
} >"$draft"
cp "$draft" "$output"
echo "results: written to $output" >&2
