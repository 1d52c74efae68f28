// What is beside the store: the device's name, its sealed key, who may sign a new page. In IndexedDB and on the disk when a
// promise is kept; what `localStorage` was told is not, and a browser that is killed forgets it.
function database(mode, act) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("samemind-phone", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("kept");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const base = opening.result;
      const work = base.transaction("kept", mode, { durability: "strict" });
      const asked = act(work.objectStore("kept"));
      work.oncomplete = () => { base.close(); resolve(asked.result); };
      work.onerror = work.onabort = () => { base.close(); reject(work.error); };
    };
  });
}
export const kept = (name) => database("readonly", (store) => store.get(name));
export const keep = (name, value) => database("readwrite", (store) => store.put(value, name));
export const clear = () => database("readwrite", (store) => store.clear());
