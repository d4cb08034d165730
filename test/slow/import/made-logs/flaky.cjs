/** A provider of promptfoo that fails on one row. */
module.exports = class {
  id() {
    return "flaky";
  }

  async callApi(prompt, { vars }) {
    if (vars.country === "Chad") return { error: "API error: 500" };
    return { output: `It is ${prompt}`, tokenUsage: { total: 9, prompt: 4, completion: 5 }, cost: 0.001 };
  }
};
