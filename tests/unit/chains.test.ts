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

describe("chain names", () => {
  test("derives names from the id: three for mainnet, one for the sandbox and any other chain", () => {
    expect(networkNames(MAINNET_CHAIN_ID)).toEqual(mainnetNames);
    expect(networkNames(SANDBOX_CHAIN_ID)).toEqual(["chain:sandbox"]);
    expect(networkNames(other)).toEqual(["hive:c0de0000000000000000000000000000"]);
  });

  test("refuses the name of another chain", () => {
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

  test("finds the chain id of a known name, and recognizes the form of an unknown chain's name", () => {
    expect(mainnetNames.map(chainIdOf)).toEqual(mainnetNames.map(() => MAINNET_CHAIN_ID));
    expect(chainIdOf("chain:sandbox")).toBe(SANDBOX_CHAIN_ID);
    expect(chainIdOf("hive:c0de0000000000000000000000000000")).toBeNull();
    expect(isNetworkName("hive:c0de0000000000000000000000000000")).toBe(true);
    for (const text of ["base", "eip155:8453", "hive:c0de", "", 5]) expect(isNetworkName(text)).toBe(false);
  });

  test("offers version 1 under every name that existing clients know, the seller's first", () => {
    expect(offeredNames("chain:mainnet")).toEqual(["chain:mainnet", "hive:mainnet"]);
    expect(offeredNames("hive:mainnet")).toEqual(["hive:mainnet", "chain:mainnet"]);
    expect(offeredNames("chain:sandbox")).toEqual(["chain:sandbox"]);
  });
});
