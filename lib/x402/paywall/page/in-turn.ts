/** Works once no other page of this browser does the same work, which a lock names. */
export async function inTurn<T>(lock: string, work: () => Promise<T>): Promise<T> {
  let isBegun = false;
  const begin = () => {
    isBegun = true;
    return work();
  };
  try {
    return await navigator.locks.request(lock, begin);
  } catch (error) {
    // Pages without a secure origin have no locks, and browsers that deny storage deny them too.
    if (isBegun) throw error;
    return work();
  }
}
