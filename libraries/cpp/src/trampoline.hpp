
#line 1 "gpurepl"
// What calls a function of the text above: included behind it, so that the text sees none of this.
struct gpurepl_pointer {
    void *address;
    template <class T> operator T *() const { return static_cast<T *>(address); }
};
struct gpurepl_const_pointer {
    const void *address;
    template <class T> operator const T *() const { return static_cast<const T *>(address); }
};

// Thrown by `gpurepl_fit`: it is no `std::exception`, which the text might catch.
struct gpurepl_misfit {
    const char *type;
    int number;
};

template <class T> const char *gpurepl_name() { return __PRETTY_FUNCTION__; }

// Arguments lie outside of the call, so that a reference to one that is returned still leads to it.
template <class T> T &&gpurepl_get(void *at) { return static_cast<T &&>(*static_cast<T *>(at)); }

// A number that a parameter of another type can hold, in the place of the one that was given, or an error.
template <class To, class From> To &&gpurepl_fit(void *at, int number) {
    static_assert(sizeof(To) <= 16, "an argument has 16 bytes");
    From value;
    std::memcpy(&value, at, sizeof value);
    const To converted = static_cast<To>(value);
    if (static_cast<From>(converted) != value || (converted < To(0)) != (value < From(0)))
        throw gpurepl_misfit{gpurepl_name<To>(), number};
    std::memcpy(at, &converted, sizeof converted);
    return static_cast<To &&>(*static_cast<To *>(at));
}

// Whether a result of type `From` can be asked for as `To` without a loss.
template <class To, class From> constexpr bool gpurepl_fits() {
    if constexpr (std::is_void<To>::value) {
        return true;
    } else if constexpr (std::is_void<From>::value) {
        return false;
    } else if constexpr (std::is_same<To, From>::value) {
        return true;
    } else if constexpr (std::is_same<To, std::string>::value) {
        return std::is_convertible<From, std::string>::value;
    } else if constexpr (std::is_enum<From>::value) {
        return gpurepl_fits<To, typename std::underlying_type<From>::type>();
    } else if constexpr (std::is_pointer<To>::value) {
        return std::is_pointer<From>::value && std::is_convertible<From, To>::value;
    } else if constexpr (std::is_pointer<From>::value) {
        return std::is_same<To, std::size_t>::value;
    } else if constexpr (std::is_same<To, bool>::value || std::is_same<From, bool>::value) {
        return false;
    } else if constexpr (std::is_integral<To>::value && std::is_integral<From>::value) {
        return std::numeric_limits<To>::digits >= std::numeric_limits<From>::digits &&
               (std::is_signed<To>::value || !std::is_signed<From>::value);
    } else if constexpr (std::is_floating_point<To>::value && std::is_arithmetic<From>::value) {
        return std::numeric_limits<To>::digits >= std::numeric_limits<From>::digits;
    } else {
        return false;
    }
}

template <class To, class From> int gpurepl_return(From &&value, void *result) {
    if constexpr (std::is_same<To, std::string>::value) {
        if constexpr (std::is_pointer<std::remove_reference_t<From>>::value) {
            if (value == nullptr) return 4;
        }
        const std::string text = std::forward<From>(value);
        auto *words = static_cast<std::uint64_t *>(result);
        void *copy = std::malloc(text.size() + 1);
        if (!copy) throw std::bad_alloc();
        std::memcpy(copy, text.data(), text.size());
        words[0] = reinterpret_cast<std::uintptr_t>(copy);
        words[2] = text.size();
    } else if constexpr (std::is_pointer<std::remove_reference_t<From>>::value && std::is_same<To, std::size_t>::value) {
        const auto address = reinterpret_cast<std::uintptr_t>(value);
        std::memcpy(result, &address, sizeof address);
    } else {
        const To converted = static_cast<To>(value);
        std::memcpy(result, &converted, sizeof converted);
    }
    return 0;
}

// Calls, and leaves the result: 1 where it cannot be asked for as `To`.
template <class To, class Do> int gpurepl_run(const Do &call, void *result) {
    using From = std::remove_cv_t<std::remove_reference_t<decltype(call())>>;
    if constexpr (!gpurepl_fits<To, From>()) {
        return 1;
    } else if constexpr (std::is_void<To>::value) {
        static_cast<void>(call());
        return 0;
    } else {
        return gpurepl_return<To>(call(), result);
    }
}

static void gpurepl_say(char *to, std::size_t room, const char *kind, const char *words) {
    std::snprintf(to, room, "%s%s", kind, words);
}

static void gpurepl_flush() {
#if defined(_GLIBCXX_IOSTREAM) || defined(_LIBCPP_IOSTREAM)
    std::cout.flush();
#endif
    std::fflush(stdout);
}

// The entry: without arguments it says what the function returns, and whether that can be asked for so.
#define GPUREPL_ENTRY(NAME) \
extern "C" __attribute__((visibility("default"))) int NAME(void **gpurepl_arguments, void *gpurepl_result, \
                                                           char *gpurepl_words, std::size_t gpurepl_room) { \
    const auto gpurepl_do = [gpurepl_arguments]() -> decltype(auto) { (void)gpurepl_arguments; return

#define GPUREPL_END(TO) \
    }; \
    using gpurepl_from = std::remove_cv_t<std::remove_reference_t<decltype(gpurepl_do())>>; \
    constexpr bool gpurepl_is_fit = gpurepl_fits<TO, gpurepl_from>(); \
    if (!gpurepl_arguments) { \
        gpurepl_say(gpurepl_words, gpurepl_room, "", gpurepl_name<decltype(gpurepl_do())>()); \
        return gpurepl_is_fit ? 0 : 1; \
    } \
    int gpurepl_status = 0; \
    try { \
        gpurepl_status = gpurepl_run<TO>(gpurepl_do, gpurepl_result); \
    } catch (const gpurepl_misfit &misfit) { \
        gpurepl_say(gpurepl_words, gpurepl_room, "", misfit.type); \
        gpurepl_status = 16 + misfit.number; \
    } catch (const std::exception &exception) { \
        gpurepl_say(gpurepl_words, gpurepl_room, typeid(exception).name(), ""); \
        const std::size_t length = std::strlen(gpurepl_words); \
        gpurepl_say(gpurepl_words + length, gpurepl_room - length, "\n", exception.what()); \
        gpurepl_status = 2; \
    } catch (const char *text) { \
        gpurepl_say(gpurepl_words, gpurepl_room, "\n", text); \
        gpurepl_status = 2; \
    } catch (const std::string &text) { \
        gpurepl_say(gpurepl_words, gpurepl_room, "\n", text.c_str()); \
        gpurepl_status = 2; \
    } catch (...) { \
        gpurepl_status = 3; \
    } \
    gpurepl_flush(); \
    return gpurepl_status; \
}
