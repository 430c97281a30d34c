const errors = {
  "api.web_socket_router.no_action.app_error": [400, "No websocket action."],
  "api.web_socket_router.bad_seq.app_error": [400, "Invalid sequence for WebSocket message."],
  "api.web_socket_router.bad_action.app_error": [500, "Unknown WebSocket action."],
  "api.web_socket_router.not_authenticated.app_error": [
    401,
    "WebSocket connection is not authenticated. Please log in and try again.",
  ],
  "api.context.invalid_token.error": [401, "Invalid session token."],
  "api.websocket_handler.invalid_param.app_error": [400, "Invalid {Name} parameter."],
} as const;

export type ReplyErrorId = keyof typeof errors;

/** Returns the reply to a successful action. */
export function okFrame(seq: number, data?: Record<string, unknown>): string {
  return JSON.stringify({ status: "OK", seq_reply: seq, ...(data && { data }) });
}

/** Returns the reply to a refused action. A `seq` of 0 is omitted. */
export function failFrame({ seq }: { seq: number }, id: ReplyErrorId, name = ""): string {
  const [status, message] = errors[id];
  const error = { id, message: message.replace("{Name}", name), detailed_error: "", status_code: status };
  return JSON.stringify({ status: "FAIL", ...(seq !== 0 && { seq_reply: seq }), error });
}
