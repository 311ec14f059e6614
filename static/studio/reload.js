/* A preview that is still being built: looks again every two seconds while somebody looks. */
import { keepLoading } from "../reloading.js";

keepLoading(2000, () => !document.hidden);
