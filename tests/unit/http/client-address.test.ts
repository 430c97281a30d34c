import { describe, expect, test } from "vitest";
import { localUrl, networkOf } from "../../../lib/http/client-address.ts";

describe("the address that counts for a client", () => {
  test.each([
    ["an IPv4 address itself", "192.0.2.1", "192.0.2.1"],
    ["an IPv4 address that came in IPv6's form", "::ffff:192.0.2.1", "192.0.2.1"],
    ["the first 64 bits of an IPv6 address", "2001:DB8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["the first 64 bits of an address with omitted zeros", "2001:db8::6", "2001:db8:0:0::/64"],
    ["the first 64 bits of an address with omitted trailing zeros", "2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["the first 64 bits of an address with leading zeros", "2001:0db8:0001:0002::1", "2001:db8:1:2::/64"],
    ["the first 64 bits of an address with a dotted end", "64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
    ["the first 64 bits of an address with an interface name", "fe80::1%eth0", "fe80:0:0:0::/64"],
    ["the first 64 bits of IPv6's loopback", "::1", "0:0:0:0::/64"],
    ["an invalid address unchanged", "unknown", "unknown"],
  ])("is %s", (_, address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe("the local address of a listener", () => {
  test.each([
    ["127.0.0.1", "http://127.0.0.1:4020"],
    ["chat.lan", "http://chat.lan:4020"],
    ["::1", "http://[::1]:4020"],
    ["0.0.0.0", "http://127.0.0.1:4020"],
    ["::", "http://127.0.0.1:4020"],
  ])("of %s is %s, a valid address", (host, url) => {
    expect(localUrl(host, 4020)).toBe(url);
    expect(new URL(url).port).toBe("4020");
  });
});
