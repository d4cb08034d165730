#!/usr/bin/env bash
# Makes logs with the tools themselves, in two versions each, without a model: FOLDER/<tool>-<version>/log/.
# Needs npm, Python 3.10 or later, the network, 4 GB of disk and ten minutes. What is installed already is not installed again.
#   bash test/slow/import/made-logs/make-logs.sh FOLDER
#   MADE_LOGS=FOLDER npx vitest run --project slow test/slow/import/made-logs.test.ts
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -m "$1")
export PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 PROMPTFOO_DISABLE_REMOTE_GENERATION=1
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 DEEPEVAL_TELEMETRY_OPT_OUT=YES OPENAI_API_KEY=none

# begin TOOL VERSION: goes to the folder of a version, whose logs are made anew
begin() {
  echo "$1 $2"
  mkdir -p "$folder/$1-$2"
  cd "$folder/$1-$2"
  rm -rf log && mkdir log
}

# python_tool PACKAGE VERSION
python_tool() {
  [ -d venv ] || python3 -m venv venv
  venv/bin/pip install --quiet --disable-pip-version-check "$1==$2"
}

# Versions that run on Node 20. What is optional are databases and browsers; axios is needed by 0.119.0, which does not name it.
for version in 0.118.0 0.119.0; do
  begin promptfoo $version
  [ -d node_modules ] || npm install --prefix . --omit=optional --no-audit --no-fund --silent promptfoo@$version axios
  # It exits with 100 where assertions fail, as some do.
  PROMPTFOO_CONFIG_DIR=$PWD/config node_modules/.bin/promptfoo eval -c "$here/promptfoo.yaml" --repeat 2 \
    --no-cache --no-progress-bar -o log/log.json >run.txt 2>&1 || [ $? = 100 ]
done

for version in 0.3.95 0.3.137; do
  begin inspect $version
  python_tool inspect_ai $version
  # Tasks and data are named by paths from the folder of the run.
  cp "$here/capitals.jsonl" "$here/inspect_capitals.py" .
  venv/bin/inspect eval inspect_capitals.py --model mockllm/model --epochs 2 --log-dir log --display none >run.txt 2>&1
done

for version in 0.4.11 0.4.13; do
  begin lm-eval $version
  python_tool lm_eval $version
  cp "$here/capitals.jsonl" "$here/lm_eval_capitals.yaml" .
  venv/bin/python "$here/lm_eval_dummy.py" --model dummy --include_path . --tasks capitals --log_samples --output_path log >run.txt 2>&1
done

for version in 3.0.0 4.3.1; do
  begin deepeval $version
  python_tool deepeval $version
  DEEPEVAL_RESULTS_FOLDER=$PWD/log venv/bin/python "$here/deepeval_capitals.py" >run.txt 2>&1
done
