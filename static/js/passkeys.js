// Passkeys: their buttons appear where the browser has them; what goes wrong is said on the page.
(function () {
  "use strict";
  const ids = ["passkey_login", "mfa_webauthn_authenticate", "mfa_webauthn_reauthenticate", "mfa_webauthn_add"];
  const buttons = ids.map((id) => document.getElementById(id)).filter(Boolean);
  // A passkey belongs to a name: at a bare number there is none.
  const usable = Boolean(window.PublicKeyCredential) && !/^[\d.]+$|^\[/.test(location.hostname);
  buttons.forEach((button) => { button.hidden = !usable; });
  document.querySelectorAll("[data-without-passkeys]").forEach((words) => { words.hidden = usable; });
  document.addEventListener("allauth.error", (event) => {
    const words = document.querySelector("[data-passkey-failed]");
    if (words) { event.preventDefault(); words.hidden = false; words.focus(); }
  });
})();
