/** Returns the JSON-RPC error by which hived refuses a transaction: its code, with its assert data. */
export const refusalOfChain = (message: string) => ({
  code: -32003,
  message: `Assert Exception:${message}`,
  data: {
    ...{ code: 10, name: "assert_exception", message: "Assert Exception" },
    stack: [{ context: { level: "error", file: "database.cpp", line: 771 }, format: message, data: {} }],
  },
});
