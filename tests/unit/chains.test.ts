import { describe, expect, test } from "vitest";
import {
  chainIdOf,
  fitNetwork,
  isNetworkName,
  MAINNET_CHAIN_ID,
  networkNames,
  offeredNames,
  SANDBOX_CHAIN_ID,
} from "../../lib/chains.ts";

const other = "c0de".padEnd(64, "0");
const mainnetNames = ["chain:mainnet", "hive:mainnet", "hive:beeab0de000000000000000000000000"];

describe("the name of a chain", () => {
  test("follows from its id: mainnet goes by three names, the sandbox and any other chain by one", () => {
    expect(networkNames(MAINNET_CHAIN_ID)).toEqual(mainnetNames);
    expect(networkNames(SANDBOX_CHAIN_ID)).toEqual(["chain:sandbox"]);
    expect(networkNames(other)).toEqual(["hive:c0de0000000000000000000000000000"]);
  });

  test("that is another chain's is refused", () => {
    expect(fitNetwork(undefined, other)).toBe("hive:c0de0000000000000000000000000000");
    expect(fitNetwork("hive:mainnet", MAINNET_CHAIN_ID)).toBe("hive:mainnet");
    for (const [network, chainId] of [
      ["chain:sandbox", MAINNET_CHAIN_ID],
      ["chain:sandbox", other],
      ["chain:mainnet", SANDBOX_CHAIN_ID],
      ["base", MAINNET_CHAIN_ID],
      ["", SANDBOX_CHAIN_ID],
    ] as const)
      expect(() => fitNetwork(network, chainId)).toThrow(TypeError);
  });

  test("says the id where it says enough", () => {
    expect(mainnetNames.map(chainIdOf)).toEqual(mainnetNames.map(() => MAINNET_CHAIN_ID));
    expect(chainIdOf("chain:sandbox")).toBe(SANDBOX_CHAIN_ID);
    expect(chainIdOf("hive:c0de0000000000000000000000000000")).toBeNull();
    expect(isNetworkName("hive:c0de0000000000000000000000000000")).toBe(true);
    for (const text of ["base", "eip155:8453", "hive:c0de", "", 5]) expect(isNetworkName(text)).toBe(false);
  });

  test("in offers of version 1 is every one that existing clients know, the seller's own first", () => {
    expect(offeredNames("chain:mainnet")).toEqual(["chain:mainnet", "hive:mainnet"]);
    expect(offeredNames("hive:mainnet")).toEqual(["hive:mainnet", "chain:mainnet"]);
    expect(offeredNames("chain:sandbox")).toEqual(["chain:sandbox"]);
  });
});
