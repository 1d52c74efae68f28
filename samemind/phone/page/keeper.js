// A worker beside the device, for once: it leaves on the disk what the next start goes on from.
import { keepStart } from "./start.js";

keepStart().catch((error) => console.warn("the next start will be as slow as this one:", error)).finally(() => close());
