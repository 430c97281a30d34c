import { z } from "zod";

const of = (shape: RegExp) => z.string().regex(shape, "is not valid").optional();

/** What a websocket's query may hold. All but the token passes on, in the shapes that the backend takes: it cuts the connection over any other. */
export const WebsocketQuery = z.object({
  token: z.string().optional().describe("the PAT, where no header can be set"),
  connection_id: of(/^([a-z0-9]{26})?$/).describe("from `hello`: resumes that connection"),
  sequence_number: of(/^\d{1,15}$/).describe("with `connection_id`: the next event"),
  posted_ack: of(/^(true|false)$/),
  disconnect_err_code: of(/^\d{0,5}$/),
});
