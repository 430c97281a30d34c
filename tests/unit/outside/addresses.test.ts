import { describe, expect, it } from "vitest";
import { isPublicAddress, readOutsideAddress } from "../../../lib/outside/addresses.ts";

describe("isPublicAddress", () => {
  it.each([
    ...["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.167.0.1"],
    ...["223.255.255.255", "2606:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888"],
  ])("accepts %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ["addresses of this network", "0.0.0.0", "0.1.2.3"],
    ["private networks", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
    ["loopback addresses", "127.0.0.1", "127.255.255.254", "::1"],
    ["link-local addresses", "169.254.1.1", "fe80::1", "fe80::1%eth0"],
    [
      "metadata services",
      "169.254.169.254",
      "fd00:ec2::254",
      "100.100.100.200",
      "192.0.0.192",
      "168.63.129.16",
    ],
    ["carrier NAT", "100.64.0.1", "100.127.255.255"],
    ["addresses for examples", "192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    ["addresses for benchmarks", "198.18.0.1", "198.19.255.255"],
    ["multicast and beyond", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "ff02::1"],
    ["IPv4 in IPv6", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:7f00:1", "::7f00:1", "64:ff9b::7f00:1"],
    ["tunnels to IPv4", "2002:7f00:1::", "2001:0:7f00:1::", "::"],
    ["unique local addresses", "fc00::1", "fdff::1"],
    ["malformed addresses", "", "localhost", "1.1.1", "0x7f.0.0.1"],
  ])("refuses %s", (_kind, ...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

describe("readOutsideAddress", () => {
  const read = (text: string, privateHosts: string[] = []) =>
    readOutsideAddress(text, privateHosts)?.href ?? null;

  it("accepts public web addresses on the usual ports, without the fragment", () => {
    expect(read("https://images.hive.blog/a b.png?x=1#y")).toBe("https://images.hive.blog/a%20b.png?x=1");
    expect(read("http://1.1.1.1:80/")).toBe("http://1.1.1.1/");
    expect(read("https://[2606:4700::1111]/")).toBe("https://[2606:4700::1111]/");
  });

  it.each([
    [
      "ftp://example.com/",
      "file:///etc/passwd",
      "data:image/png;base64,AA",
      "javascript:alert(1)",
      "gopher://x.y",
    ],
    ["https://user@example.com/", "https://user:password@example.com/", "https://:p@example.com/"],
    ["https://example.com:22/", "http://example.com:443/", "http://example.com:8080/"],
    ["http://localhost/", "http://localhost./", "http://router/", "http://a.localhost/", "http://nas.local/"],
    ["http://metadata.google.internal/", "http://box.lan/", "http://x.home.arpa/"],
    [
      "http://127.0.0.1/",
      "http://127.1/",
      "http://0x7f000001/",
      "http://2130706433/",
      "http://017700000001/",
    ],
    ["http://127.0.0.1./", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://①②⑦.⓪.⓪.①/"],
    ["", "picture.png", "//example.com/", `https://example.com/${"x".repeat(2048)}`],
  ])("refuses addresses such as %j", (...addresses) => {
    expect(addresses.map((address) => read(address)).filter((href) => href !== null)).toEqual([]);
  });

  it("accepts a host that the operator exempts, on one port or any", () => {
    expect(read("http://127.0.0.1:8065/x", ["127.0.0.1:8065"])).toBe("http://127.0.0.1:8065/x");
    expect(read("http://127.0.0.1:8066/x", ["127.0.0.1:8065"])).toBeNull();
    expect(read("http://media.lan/x", ["media.lan:80"])).toBe("http://media.lan/x");
    expect(read("https://media.lan/x", ["media.lan:80"])).toBeNull();
    expect(read("http://media.lan:81/x", ["media.lan"])).toBe("http://media.lan:81/x");
    expect(read("ftp://media.lan/x", ["media.lan"])).toBeNull();
  });
});
