import { describe, expect, test } from "vitest";
import { z } from "zod";
import { withPaywall } from "#lib/x402/next.ts";
import type { PaywallOptions } from "#lib/x402/paywall/options.ts";
import { decodeHeader } from "../../../harness/ask-paid.ts";

const price = {
  amount: "0.050 HBD",
  receivingAccount: "shop",
  facilitatorUrl: "http://127.0.0.1:9",
} satisfies PaywallOptions<Request>;

const ask = (
  discoverable: PaywallOptions["discoverable"],
  init: RequestInit = {},
  description = "Weather",
) => {
  const GET = withPaywall({ ...price, description, ...(discoverable && { discoverable }) }, () =>
    Response.json({}),
  );
  return GET(new Request("http://shop.example/weather", init));
};
type Extended = {
  extensions: { bazaar: { info: object; schema: { properties: { input: object; output?: object } } } };
};
const readVersion2 = (response: Response) => decodeHeader<Extended>(response, "payment-required");
/** The extensions of a 402 without a description. Every 402 announces that a payment may have an id. */
const withoutDescription = { "payment-identifier": expect.any(Object) };

const city = { input: z.object({ city: z.string() }), example: { city: "Madrid" } };

describe("a discoverable resource", () => {
  test.each([
    ["input", { input: city.input, example: { city: 3 } }],
    ["output", { output: { shape: z.object({ celsius: z.number() }), example: { celsius: "21" } } }],
  ])("answers 500 and reports the fault if its example does not match its %s", async (_, discoverable) => {
    const faults: unknown[] = [];
    const onFault = (fault: unknown) => void faults.push(fault);
    const GET = withPaywall({ ...price, discoverable, onFault }, () => Response.json({}));
    expect((await GET(new Request("http://shop.example/weather"))).status).toBe(500);
    expect(faults).toEqual([new TypeError("discoverable must have examples that match its shapes")]);
  });

  test("describes its query in extensions.bazaar of version 2, from a zod schema", async () => {
    const { extensions } = readVersion2(await ask(city));
    expect(extensions.bazaar).toEqual({
      info: { input: { type: "http", method: "GET", queryParams: { city: "Madrid" } } },
      schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          input: {
            type: "object",
            properties: {
              type: { type: "string", const: "http" },
              method: { type: "string", enum: ["GET"] },
              queryParams: {
                type: "object",
                properties: { city: { type: "string" } },
                required: ["city"],
              },
            },
            required: ["type", "method", "queryParams"],
            additionalProperties: false,
          },
        },
        required: ["input"],
      },
    });
  });

  test("describes the body of a POST and the output, from JSON Schemas", async () => {
    const shape = { type: "object", properties: { celsius: { type: "number" } } };
    const response = await ask(
      { ...city, output: { type: "json", shape, example: { celsius: 21 } } },
      { method: "POST" },
      "",
    );
    const { extensions } = (await response.json()) as Extended;
    expect(extensions.bazaar.info).toEqual({
      input: { type: "http", method: "POST", bodyType: "json", body: { city: "Madrid" } },
      output: { type: "json", example: { celsius: 21 } },
    });
    expect(extensions.bazaar.schema.properties.output).toMatchObject({ properties: { example: shape } });
  });

  test("names its service in version 2's header, or only in the body if the header has no room", async () => {
    const service = { serviceName: "Sky", tags: ["weather", "air"], iconUrl: "https://sky.example/icon.png" };
    const short = decodeHeader<{ resource: object }>(await ask(service), "payment-required");
    expect(short.resource).toMatchObject({ url: "http://shop.example/weather", ...service });
    const long = { ...service, iconUrl: `https://sky.example/${"i".repeat(2000)}` };
    const response = await ask(long);
    const { resource } = decodeHeader<{ resource: object }>(response, "payment-required");
    expect(resource).toEqual({ url: "http://shop.example/weather" });
    expect(await response.json()).toMatchObject({ resource: long });
  });

  test("puts a long description only in the body, and none in the header of version 1", async () => {
    const example = { city: "a".repeat(2000) };
    const response = await ask({ input: { type: "object" }, example });
    const headers = ["x-payment", "payment-required"].map((name) => response.headers.get(name) ?? "");
    expect(headers.join("").length).toBeLessThan(2400);
    expect(readVersion2(response).extensions).toEqual(withoutDescription);
    expect(await response.json()).toMatchObject({
      extensions: { bazaar: { info: { input: { queryParams: example } } } },
    });
    expect(decodeHeader<object>(await ask(city), "x-payment")).not.toHaveProperty("extensions");
  });

  test("is described only if its seller sets discoverable", async () => {
    const response = await ask(undefined);
    expect(readVersion2(response).extensions).toEqual(withoutDescription);
    expect(await response.json()).not.toHaveProperty("extensions");
  });

  test.each([
    ["an input without an example", { input: city.input }, /example is required/],
    [
      "a reference to another document",
      { input: { type: "object", $ref: "https://other.example/schema.json" }, example: {} },
      /no references/,
    ],
    ["more than 8 KiB", { example: { city: "a".repeat(9000) } }, /up to 8 KiB/],
    ["a service name that is not ASCII", { serviceName: "Météo" }, /serviceName must be 1 to 32/],
    ["six tags", { tags: ["a", "b", "c", "d", "e", "f"] }, /tags must be 1 to 5 different/],
    ["an icon at an IP address", { iconUrl: "https://0x7f000001/icon.png" }, /iconUrl must be/],
    ["an unknown option", { inputs: {} }, /inputs is no option/],
    [
      "a schema that cannot be converted to JSON Schema",
      { input: { "~standard": { version: 1 } }, example: {} },
      /zod 4\.2/,
    ],
  ])("is refused by withPaywall if it has %s", (_, discoverable, message) => {
    expect(() =>
      withPaywall({ ...price, discoverable: discoverable as PaywallOptions["discoverable"] & object }, () =>
        Response.json({}),
      ),
    ).toThrow(message);
  });
});
