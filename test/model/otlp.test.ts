import { expect, it } from "vitest";
import { exportFromProtobuf } from "../../src/model/otlp/protobuf.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { LOGS, SPAN, TRACE, TRACES } from "../import/otlp-bytes.ts";

const SEED = Number(process.env["SEED"] ?? 11);
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });

it("traces in protobuf are what they are in JSON", () => {
  expect(exportFromProtobuf(Buffer.from(TRACES, "base64"), "traces", 1000)).toEqual({
    resourceSpans: [
      {
        resource: {
          attributes: [
            text("service.name", "shop"),
            text("wandb.entity", "acme"),
            text("wandb.project", "qa"),
          ],
        },
        scopeSpans: [
          {
            spans: [
              {
                traceId: TRACE,
                spanId: SPAN,
                name: "invoke_agent é",
                kind: 3,
                startTimeUnixNano: "1777593600000000001",
                endTimeUnixNano: "1777593601500000000",
                attributes: [
                  text("gen_ai.operation.name", "invoke_agent"),
                  text("gen_ai.request.model", "m"),
                  { key: "n", value: { intValue: "-5" } },
                  { key: "big", value: { intValue: "4611686018427387904" } },
                  { key: "x", value: { doubleValue: "0.5" } },
                  { key: "yes", value: { boolValue: true } },
                  { key: "no", value: { boolValue: false } },
                  {
                    key: "list",
                    value: { arrayValue: { values: [{ stringValue: "a" }, { intValue: "1" }] } },
                  },
                  {
                    key: "map",
                    value: {
                      kvlistValue: {
                        values: [
                          {
                            key: "k",
                            value: { kvlistValue: { values: [{ key: "z", value: { arrayValue: {} } }] } },
                          },
                        ],
                      },
                    },
                  },
                  { key: "raw", value: { bytesValue: "AP8=" } },
                  text("empty", ""),
                ],
                events: [
                  {
                    timeUnixNano: "1777593600000000005",
                    name: "gen_ai.evaluation.result",
                    attributes: [
                      text("gen_ai.evaluation.name", "ok"),
                      { key: "gen_ai.evaluation.score.value", value: { doubleValue: "1" } },
                    ],
                  },
                ],
                links: [{ traceId: "01".repeat(16), spanId: "02".repeat(8), attributes: [text("why", "a")] }],
                status: { code: 2, message: "broke" },
              },
            ],
          },
        ],
      },
    ],
  });
});

it("log records in protobuf are what they are in JSON", () => {
  expect(exportFromProtobuf(Buffer.from(LOGS, "base64"), "logs", 1000)).toEqual({
    resourceLogs: [
      {
        resource: { attributes: [text("service.name", "shop")] },
        scopeLogs: [
          {
            logRecords: [
              {
                timeUnixNano: "1777593600000000005",
                observedTimeUnixNano: "7",
                traceId: TRACE,
                spanId: SPAN,
                eventName: "gen_ai.evaluation.result",
                body: { stringValue: "b" },
                attributes: [
                  text("gen_ai.evaluation.name", "tone"),
                  text("gen_ai.evaluation.score.label", "kind"),
                ],
              },
            ],
          },
        ],
      },
    ],
  });
});

it("many values are refused before they take memory", () => {
  const empty = Buffer.from([10, 0]);
  const many = Buffer.concat(Array.from({ length: 5000 }, () => empty));
  expect(() => exportFromProtobuf(many, "traces", 4999)).toThrow("has more than 4999 values");
  expect(exportFromProtobuf(many, "traces", 5000)).toMatchObject({ resourceSpans: { length: 5000 } });
});

it(`bytes that are cut or changed are read or refused with a reason (SEED=${SEED})`, () => {
  const random = seededRandom(SEED);
  const whole = Buffer.from(TRACES, "base64");
  for (let i = 0; i < 3000; i++) {
    const bytes = Buffer.from(
      whole.subarray(0, i % 2 === 0 ? Math.floor(random() * whole.length) : undefined),
    );
    if (i % 2 === 1) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    expect([undefined, RangeError]).toContain(faultOf(bytes));
  }
});

function faultOf(bytes: Buffer): unknown {
  try {
    exportFromProtobuf(bytes, "traces", 1000);
    return undefined;
  } catch (error) {
    return (error as Error).constructor;
  }
}
