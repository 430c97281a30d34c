import { once } from "node:events";
import { connect } from "node:net";

/** Sends raw bytes to a local port, and resolves to the complete response once the server has closed. */
export async function exchangeBytes(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString("latin1");
  });
  await once(socket, "close");
  return answer;
}
