#!/usr/bin/env bash
# Keeps one issue about broken links: `report-links.sh EXIT_CODE REPORT`, with lychee's exit code and its report. Uses the GitHub CLI.
set -euo pipefail

title="Broken links in the documentation"
issue=$(gh issue list --state open --search "in:title \"$title\"" --json number,title \
  --jq "map(select(.title == \"$title\"))[0].number // empty")

case ${1:-} in
  0)
    [[ -z $issue ]] || gh issue close "$issue" --comment "All links are good again."
    ;;
  2)
    if [[ -n $issue ]]; then
      gh issue edit "$issue" --body-file "$2"
    else
      gh issue create --title "$title" --body-file "$2"
    fi
    ;;
  *)
    echo "::warning title=Link check::The link checker itself failed (exit code '${1:-none}'): nothing is known about the links."
    ;;
esac
