// A NATS server by its WebSocket, by the client that its makers keep. Bundled by esbuild, and loaded where a mailbox needs it.
import { wsconnect } from "@nats-io/nats-core";

const CONNECT_MS = 10_000, CALL_MS = 20_000, PING_MS = 20_000, PINGS_MAX = 2;
// A listing of a hundred thousand parts, twice over. What comes beyond that and answers nothing is no server of ours; a bell
// answers nothing either, or one that rings without end would be heard without end.
const UNANSWERED_BYTES_MAX = 32 << 20;

// `sign`: of what the server draws, in base 64; `rang`: called when somebody said that a file came.
export async function connect({ url, nkey, ring }, sign, rang) {
  let unanswered = 0;
  const wsFactory = async (address) => {
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", (event) => {
      unanswered += event.data.byteLength ?? Infinity; // text is none of this protocol
      if (unanswered > UNANSWERED_BYTES_MAX) socket.close();
    });
    return { socket, encrypted: address.startsWith("wss:") };
  };
  const authenticator = nkey ? (nonce) => ({ nkey, sig: sign(nonce) }) : undefined;
  const connection = await wsconnect({ servers: url, wsFactory, authenticator, reconnect: false, ignoreClusterUpdates: true, timeout: CONNECT_MS, pingInterval: PING_MS, maxPingOut: PINGS_MAX });
  connection.subscribe(ring, { callback: () => rang() });
  return {
    isClosed: () => connection.isClosed(),
    closed: connection.closed(),
    close: () => connection.close(),
    tell: (subject) => connection.publish(subject),
    async ask(subject, payload) {
      const { data } = await connection.request(subject, payload, { timeout: CALL_MS });
      unanswered = 0;
      return data;
    },
  };
}
