import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { loadHttp, NoAnswer, readWrkReport, readWrkTime, untilAnswered } from "./http-load.ts";
import { createLoadWatch, foreignShare, judgeLoad, readMachineLoad } from "./machine-load.ts";
import { measureInTurn } from "./measure-in-turn.ts";
import { spreadOf } from "./spread.ts";

describe("the bench's numbers", () => {
  test.each([
    [[3], { median: 3, min: 3, max: 3 }],
    [[9, 1, 5], { median: 5, min: 1, max: 9 }],
    [[4, 1, 2, 100], { median: 3, min: 1, max: 100 }],
  ])("show the median, minimum and maximum of %j", (values, spread) => {
    expect(spreadOf(values)).toEqual(spread);
  });

  test("require at least one measurement, and do not reorder the values", () => {
    expect(() => spreadOf([])).toThrow(RangeError);
    const values = [3, 1, 2];
    spreadOf(values);
    expect(values).toEqual([3, 1, 2]);
  });

  test("exclude the warm-up, and are relative to the first base that was measured, in the same round", async () => {
    const given = { httpxy: [1, 100, 300, 200], hivegate: [1, 50, 30, 60] };
    const watch = createLoadWatch(0.1, () => ({ all: 0, foreign: 0 }));
    const rows = await measureInTurn(
      "a row",
      [{ name: "httpxy" }, { name: "hivegate" }],
      async ({ name }) => ({
        perSecond: given[name as "httpxy"].shift() ?? 0,
        cpuUs: name === "httpxy" ? 10 : 15,
        p50Ms: 1,
        p99Ms: name === "httpxy" ? 2 : 3,
      }),
      { rounds: 3, watch, bases: ["not installed", "httpxy", "hivegate"] },
    );
    const always = (value: number) => ({ median: value, min: value, max: value });
    expect(rows).toEqual([
      {
        ...{ what: "a row", subject: "httpxy", perSecond: { median: 200, min: 100, max: 300 } },
        ...{ cpuUs: always(10), p50Ms: always(1), p99Ms: always(2) },
        ratios: { perSecond: always(1), cpuUs: always(1), p99Ms: always(1) },
      },
      {
        ...{ what: "a row", subject: "hivegate", perSecond: { median: 50, min: 30, max: 60 } },
        ...{ cpuUs: always(15), p50Ms: always(1), p99Ms: always(3) },
        ratios: { perSecond: { median: 0.3, min: 0.1, max: 0.5 }, cpuUs: always(1.5), p99Ms: always(1.5) },
      },
    ]);
  });

  const wrkReport = "     50%    1.25ms\n     99%    2.00ms\nRequests/sec:   800.00\n";

  test("are read from wrk's report", () => {
    expect(readWrkReport(wrkReport, "a page")).toEqual({ perSecond: 800, p50Ms: 1.25, p99Ms: 2 });
  });

  test.each([
    ["without a rate", wrkReport.replace("Requests/sec:", "")],
    ["without a median", wrkReport.replace("50%", "")],
    ["with a time in an unknown unit", wrkReport.replace("2.00ms", "2.00h")],
    ["with errors", `${wrkReport}  Non-2xx or 3xx responses: 1\n`],
    [
      "with broken connections",
      `  Socket errors: connect 0, read 4, write 0, timeout 0\n${wrkReport.replace("800.00", "0.00")}`,
    ],
  ])("are not read from a report of wrk %s", (_, report) => {
    expect(() => readWrkReport(report, "a page")).toThrow("wrk measured no rate or times of a page");
  });

  test("are measured for longer until an answer arrives", async () => {
    const late = wrkReport.replace("800.00", "0.00");
    const timedOut = `  Socket errors: connect 0, read 0, write 0, timeout 4\n${late}`;
    const reports = [late, timedOut, wrkReport];
    const lengths: number[] = [];
    const load = await untilAnswered(3, async (seconds) => {
      lengths.push(seconds);
      return readWrkReport(reports.shift() ?? "", "a page");
    });
    expect(load.perSecond).toBe(800);
    expect(lengths).toEqual([3, 6, 12]);
  });

  test("are given up if none arrives in 16 times the seconds, or if the load fails", async () => {
    const lengths: number[] = [];
    const failing = (error: Error) => async (seconds: number) => {
      lengths.push(seconds);
      throw error;
    };
    await expect(untilAnswered(1, failing(new NoAnswer("silent")))).rejects.toThrow("silent");
    await expect(untilAnswered(1, failing(new Error("refused")))).rejects.toThrow("refused");
    expect(lengths).toEqual([1, 2, 4, 8, 16, 1]);
  });

  test("count only answers that were read to their end", async () => {
    let begun = 0;
    let ended = 0;
    // More in all than the system buffers.
    const chunk = Buffer.alloc(1024 * 1024);
    const server = createServer((incoming, outgoing) => {
      incoming.resume();
      begun++;
      const write = function* () {
        for (let sent = 0; sent < 64; sent++) yield chunk;
        ended++;
      };
      outgoing.setHeader("content-length", 64 * chunk.length);
      Readable.from(write()).pipe(outgoing);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { perSecond } = await loadHttp({ url, method: "POST", headers: {}, body: "x" }, 2, 1);
    await new Promise((resolve) => server.close(resolve));
    expect(perSecond).toBe(begun);
    expect(ended).toBe(begun);
  });

  test("are not made up for a load that sent no request", async () => {
    const request = { url: "http://127.0.0.1:9/", method: "POST", headers: {}, body: "" } as const;
    await expect(loadHttp(request, 1, 0)).rejects.toThrow("no request was sent in time");
  });

  test("convert wrk's times to ms", () => {
    expect(["500.00us", "1.25ms", "1.50s", "nonsense"].map(readWrkTime)).toEqual([
      0.5,
      1.25,
      1500,
      Number.NaN,
    ]);
  });
});

describe("a busy machine", () => {
  test("is reported if other processes use more than the given share, even once", () => {
    expect(judgeLoad([0, 0.02, 0.1], 0.1)).toMatchObject({ isQuiet: true, busiest: 0.1 });
    const busy = judgeLoad([0, 0.4, 0.02], 0.1);
    expect(busy).toMatchObject({ isQuiet: false, busiest: 0.4 });
    expect(busy.verdict).toMatch(/^NOT GOOD.*40 % of the machine/);
    expect(judgeLoad([], 0.1).isQuiet, "nobody looked").toBe(false);
  });

  test("is recognized by the load of other processes, without that of the bench itself", () => {
    const before = { all: 1000, foreign: 100 };
    expect(foreignShare(before, { all: 1200, foreign: 150 })).toBe(0.25);
    expect(foreignShare(before, { all: 1200, foreign: 90 }), "a child ended in between").toBe(0);
    expect(foreignShare(before, before)).toBe(0);
  });

  test("is watched from the beginning to the end of each round", () => {
    const readings = [
      { all: 0, foreign: 0 },
      { all: 100, foreign: 1 },
      { all: 200, foreign: 1 },
      { all: 300, foreign: 51 },
    ];
    const watch = createLoadWatch(0.1, () => readings.shift() ?? { all: 0, foreign: 0 });
    watch.begin();
    expect(watch.end()).toBe("1 % of the machine");
    expect(watch.judge().isQuiet).toBe(true);
    watch.begin();
    expect(watch.end()).toBe("50 % of the machine");
    expect(watch.judge()).toMatchObject({ isQuiet: false, busiest: 0.5 });
  });

  test("is read from the system's counters, in which other processes' time never exceeds the total", () => {
    const before = readMachineLoad();
    const after = readMachineLoad();
    expect(after.all).toBeGreaterThanOrEqual(before.all);
    expect(after.foreign).toBeLessThanOrEqual(after.all);
  });
});
