import { describe, expect, test } from "vitest";
import { keychainAddress } from "#app/(demo)/_session/wallet-wait.tsx";

const engine = "AppleWebKit/537.36 (KHTML, like Gecko)";

describe("wallet's download address", () => {
  test.each([
    [
      "Chrome",
      `Mozilla/5.0 (X11; Linux x86_64) ${engine} Chrome/147.0.0.0 Safari/537.36`,
      "chromewebstore.google.com",
    ],
    [
      "Edge",
      `Mozilla/5.0 (Windows NT 10.0) ${engine} Chrome/147.0.0.0 Edg/147.0`,
      "chromewebstore.google.com",
    ],
    [
      "Firefox",
      "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0",
      "addons.mozilla.org",
    ],
    [
      "Safari",
      "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15",
      "hive-keychain.com",
    ],
    [
      "a phone",
      `Mozilla/5.0 (Linux; Android 15) ${engine} Chrome/147.0 Mobile Safari/537.36`,
      "hive-keychain.com",
    ],
  ])("links %s to a store that it can install from, or else to Keychain's site", (_name, userAgent, host) => {
    expect(new URL(keychainAddress(userAgent)).host).toBe(host);
  });
});
