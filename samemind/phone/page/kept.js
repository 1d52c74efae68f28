// What is beside the store: the device's name, its sealed key, who may sign a new page. In IndexedDB and on the disk when a
// promise is kept; what `localStorage` was told is not, and a browser that is killed forgets it.
// Opened once, since a start asks ten times and each opening takes some milliseconds; anew where the browser has closed it.
let opened = null;

function opening() {
  return (opened ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open("samemind-phone", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("kept");
    asked.onerror = () => { opened = null; reject(asked.error); };
    asked.onsuccess = () => {
      asked.result.onclose = () => { opened = null; };
      asked.result.onversionchange = () => { opened = null; asked.result.close(); };
      resolve(asked.result);
    };
  }));
}

async function database(mode, act) {
  const base = await opening();
  return new Promise((resolve, reject) => {
    const work = base.transaction("kept", mode, { durability: "strict" });
    const asked = act(work.objectStore("kept"));
    work.oncomplete = () => resolve(asked.result);
    work.onerror = work.onabort = () => reject(work.error);
  });
}
export const kept = (name) => database("readonly", (store) => store.get(name));
export const keep = (name, value) => database("readwrite", (store) => store.put(value, name));
export const clear = () => database("readwrite", (store) => store.clear());
