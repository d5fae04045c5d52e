// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Converts the attributes of spans as Phoenix does when they arrive: one JSON object a line in, one out. Attributes
// of OpenInference that a span has already stay.
const { convertGenAISpanAttributesToOpenInferenceSpanAttributes: convert } = require("@arizeai/openinference-genai");

const lines = require("node:fs").readFileSync(0, "utf8").split("\n").filter(Boolean);
for (const line of lines) {
  const attributes = JSON.parse(line);
  const generative = Object.keys(attributes).some((key) => key.startsWith("gen_ai."));
  console.log(JSON.stringify(generative ? { ...convert(attributes), ...attributes } : attributes));
}
