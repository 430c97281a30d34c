import { startGateway } from "./start-gateway.ts";

/** The child of `startGatewayProcess`. Its first argument contains its options as JSON. */
const gateway = await startGateway(JSON.parse(process.argv[2] ?? "{}"));
process.on("SIGTERM", () => void gateway.close().then(() => process.exit(0)));
process.send?.({ url: gateway.url });
