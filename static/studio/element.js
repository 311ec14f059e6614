/** An element that the template of the editor has.
    @param {string} id */
export const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
