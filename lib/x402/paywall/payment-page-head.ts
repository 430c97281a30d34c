/**
 * The part of the payment page's script that reads where the chain stands: `readHead(nodes)`, as the paying client does
 * it. Of two or more nodes the first two that agree decide; where one answers alone its word goes. What fails is told in
 * the page's `texts`.
 */
export const readHeadScript = `
  const readHead = (() => {
    const MAX_APART_BLOCKS = 3;
    const MAX_APART_MS = 9000;

    const call = async (node, method, params) => {
      const response = await fetch(node, {
        method: "POST",
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "condenser_api." + method, params }),
        signal: AbortSignal.timeout(2500),
      });
      return (await response.json()).result || {};
    };
    // A block's id begins with its number.
    const isIdOf = (number, id) => /^[0-9a-f]{40}$/.test(id) && Number.parseInt(id.slice(0, 8), 16) === number;

    const readNodeHead = async (node) => {
      const { head_block_number: number, head_block_id: id, time } = await call(node, "get_dynamic_global_properties", []);
      const timeMs = Date.parse(time + "Z");
      if (!isIdOf(number, id) || Number.isNaN(timeMs)) throw new Error("no head block");
      return { node, number, id, timeMs };
    };
    const readIdBefore = async (node, number) => {
      const { previous } = await call(node, "get_block_header", [number]);
      if (!isIdOf(number - 1, previous)) throw new Error("no block id");
      return previous;
    };
    const agree = async (one, other) => {
      const isNear = Math.abs(one.timeMs - other.timeMs) <= MAX_APART_MS && Math.abs(one.number - other.number) <= MAX_APART_BLOCKS;
      if (!isNear) throw new Error("the heads are far apart");
      const timeMs = Math.min(one.timeMs, other.timeMs);
      if (one.id === other.id) return { ...one, timeMs };
      const next = Math.min(one.number, other.number);
      const [id, same] = await Promise.all([readIdBefore(one.node, next), readIdBefore(other.node, next)]);
      if (id !== same) throw new Error("the blocks differ");
      return { number: next - 1, id, timeMs };
    };

    return async (nodes) => {
      const heads = [];
      const ask = async (node) => {
        const head = await readNodeHead(node);
        const others = [...heads];
        heads.push(head);
        return Promise.any(others.map((other) => agree(head, other)));
      };
      try {
        return await Promise.any(nodes.map(ask));
      } catch {
        // When two nodes differ about the time, our own clock decides which one is right.
        const likely = heads.length > 1 ? heads.filter(({ timeMs }) => Math.abs(timeMs - Date.now()) <= MAX_APART_MS) : heads;
        if (likely.length === 1) return likely[0];
        throw new Error(heads.length > 0 ? texts.contradict : texts.noNode);
      }
    };
  })();
`;
